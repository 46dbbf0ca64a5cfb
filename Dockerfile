# Builds the command `tern` and runs it:
#   docker build -t tern .
#   docker run --rm tern https://example.com/
FROM swift:6.3-bookworm AS build
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends libbrotli-dev libssl-dev libzstd-dev \
    pkg-config zlib1g-dev
WORKDIR /tern
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
COPY scripts scripts
RUN install -D -s "$(scripts/build-command)" /out/tern

FROM debian:bookworm-slim
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends ca-certificates libbrotli1 libssl3 libzstd1 zlib1g libpsl5 libidn2-0 \
    && rm -rf /var/lib/apt/lists/* && useradd --create-home tern
COPY --from=build /out/tern /usr/local/bin/tern
USER tern
ENTRYPOINT ["tern"]
CMD ["--help"]
