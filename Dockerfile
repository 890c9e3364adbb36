# A static binary and nothing else: no shell, no package manager, no root. Writes only below /data.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X recap/cli.version=${VERSION}" -o /out/recap . \
 && mkdir -m 0770 /out/data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/recap /recap
# Group 0 may write: platforms that pick a user id of their own put it into that group.
COPY --from=build --chown=65532:0 /out/data /data
# Inside a container loopback is the container alone; which addresses of the host lead here is `docker run -p`.
# The admin listener stays on loopback: give it a token and publish it if you want the metrics outside.
ENV RECAP_LISTEN=0.0.0.0:8787 RECAP_STORE_PATH=/data/recap.db
USER 65532:0
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=15s --timeout=6s --start-period=5s CMD ["/recap", "healthcheck"]
ENTRYPOINT ["/recap"]
CMD ["serve"]
