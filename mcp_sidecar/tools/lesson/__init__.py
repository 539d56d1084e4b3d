"""The tools of portolan-lesson. They need no service: there is nothing behind them."""
