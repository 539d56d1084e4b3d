"""How results become text: bounded answers, the head that names the index, numbered lines."""
