# The server as an image: `docker build -t lamina .` in this folder. compose.yaml says how it is run.

ARG PYTHON=3.13
FROM python:${PYTHON}-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
# Nothing in the image installs packages, so its environment has no pip.
RUN python -m venv --without-pip /venv
WORKDIR /source
# Alone, so that a change of ours does not install everybody else's packages again. Wheels only: what
# a package would run to build itself is not covered by what its hash promises of it.
COPY requirements-serve.lock ./
RUN pip --python /venv/bin/python install --require-hashes --no-deps --only-binary :all: \
        --requirement requirements-serve.lock
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src ./src
RUN pip --python /venv/bin/python install --no-deps --no-build-isolation . \
    && pip --python /venv/bin/python check \
    && pip --python /venv/bin/python uninstall --yes editables hatchling pathspec pluggy trove-classifiers

FROM python:${PYTHON}-slim-bookworm
# A number of its own, so that who owns the files of a volume is the same on every machine.
RUN groupadd --gid 10001 lamina \
    && useradd --uid 10001 --gid lamina --no-create-home --home-dir /var/lib/lamina \
        --shell /usr/sbin/nologin lamina \
    && install --directory --owner lamina --group lamina --mode 0700 /var/lib/lamina
COPY --from=build /venv /venv
# Code was compiled when it was installed; nothing is written beside it, so the root file system may
# be read-only. What is written goes to the home directory (a store, keys) and to /tmp (imports).
ENV PATH=/venv/bin:${PATH} HOME=/var/lib/lamina PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER 10001:10001
WORKDIR /var/lib/lamina
VOLUME ["/var/lib/lamina"]
EXPOSE 8484
# The server answers this without a key and without asking the store: a database that is away for a
# moment is no reason to start all servers anew.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8484/healthz', timeout=4)"]
ENTRYPOINT ["lamina"]
# Only the container itself can call this; who publishes the port says under which name (compose.yaml).
CMD ["serve"]
