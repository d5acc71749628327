# Benchpin as a network server for one repository, mounted at /workspace. See docker/compose.yaml.
FROM python:3.13-slim-bookworm AS build
# The compiler stays in this stage. hadolint ignore=DL3008: Debian keeps only the newest versions.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends gcc libc6-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
# Compiled by mypyc, as the wheels are.
ENV HATCH_BUILD_HOOKS_ENABLE=1
RUN python -m venv /opt/benchpin \
 && /opt/benchpin/bin/pip install --no-cache-dir --constraint constraints.txt '.[all]'

FROM python:3.13-slim-bookworm
# git for history, bubblewrap as the sandbox of programs, should they be allowed.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends bubblewrap git \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin benchpin \
 && install --directory --owner=10001 --group=10001 /cache /workspace
COPY --from=build /opt/benchpin /opt/benchpin
COPY docker/healthcheck.py /healthcheck.py
# Nothing but /cache is written to, so that the root can be read-only.
ENV PATH=/opt/benchpin/bin:$PATH \
    BENCHPIN_CACHE_DIR=/cache \
    BENCHPIN_READ_ONLY=1 \
    PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
WORKDIR /workspace
VOLUME /cache
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["python", "/healthcheck.py"]
ENTRYPOINT ["benchpin"]
# It does not start without a token: BENCHPIN_AUTH_TOKEN.
CMD ["serve", "--transport", "http", "--host", "0.0.0.0"]
