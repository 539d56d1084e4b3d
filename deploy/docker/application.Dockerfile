# Web, sidecar and worker: one image, three commands (see compose.yaml).
FROM python:3.13-slim AS packages
WORKDIR /app
ENV UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never
RUN pip install --no-cache-dir "uv>=0.9"
COPY pyproject.toml uv.lock ./
RUN uv sync --frozen --no-dev --extra otel

FROM python:3.13-slim
# git mirrors repositories; the client of SSH reaches private ones.
RUN apt-get update \
    && apt-get install --no-install-recommends -y git openssh-client \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 portolan \
    && install -d -o portolan /data /data/log
WORKDIR /app
COPY --from=packages /app/.venv .venv
COPY manage.py pyproject.toml ./
COPY web web
COPY mcp_sidecar mcp_sidecar
ENV PATH=/app/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PORTOLAN_DATA_DIR=/data \
    PORTOLAN_BIND_HOST=0.0.0.0
USER portolan
VOLUME /data
CMD ["python", "-m", "web"]
