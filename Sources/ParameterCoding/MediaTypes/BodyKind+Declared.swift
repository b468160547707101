extension BodyKind {
    /// The kind that Content-Type declares; nil if the type is not specific.
    package init?(declared type: MediaType) {
        if let kind = BodyKind.wellKnown(type) {
            self = kind
            return
        }
        // Calls with messages of JSON have the suffix, but prefixes as well.
        if type.essence.hasPrefix("application/connect+")
            || type.essence.hasPrefix("application/grpc")
        {
            self = .grpc
            return
        }
        switch type.suffix {
        case "json": self = .json
        case "xml" where !type.essence.hasPrefix("image/"): self = .xml
        case "cbor": self = .cbor
        default:
            guard let kind = BodyKind.family(type) else { return nil }
            self = kind
        }
    }

    private static func wellKnown(_ type: MediaType) -> BodyKind? {
        switch type.essence {
        // The most frequent types come first: they are compared in order.
        case "application/json": .json
        case "application/x-www-form-urlencoded": .form
        case "text/json", "text/x-json", "application/x-json",
            "application/csp-report", "application/importmap+json":
            .json
        case "application/x-ndjson", "application/ndjson", "application/jsonl",
            "application/json-lines", "application/jsonlines", "application/x-jsonlines":
            .jsonLines
        case "application/xml", "text/xml": .xml
        case "text/html", "application/xhtml+xml": .html
        case "text/css": .css
        case "text/javascript", "application/javascript", "application/x-javascript",
            "application/ecmascript", "text/ecmascript":
            .javaScript
        case "text/event-stream": .eventStream
        case "application/pdf": .pdf
        case "application/wasm": .webAssembly
        case "application/protobuf", "application/x-protobuf",
            "application/vnd.google.protobuf":
            .protobuf
        case "application/msgpack", "application/x-msgpack", "application/vnd.msgpack":
            .messagePack
        case "application/cbor": .cbor
        case "application/zip", "application/gzip", "application/x-gzip", "application/zstd",
            "application/x-tar", "application/x-bzip2", "application/x-7z-compressed":
            .archive
        default: nil
        }
    }

    private static func family(_ type: MediaType) -> BodyKind? {
        let essence = type.essence
        if essence.hasPrefix("multipart/") {
            guard let boundary = type.boundary, !boundary.isEmpty else { return nil }
            return essence == "multipart/form-data"
                ? .multipartForm(boundary: boundary) : .multipart(boundary: boundary)
        }
        if essence.hasPrefix("text/") { return .plainText }
        if essence.hasPrefix("image/") { return .image(String(essence.dropFirst(6))) }
        if essence.hasPrefix("audio/") { return .audio }
        if essence.hasPrefix("video/") { return .video }
        if essence.hasPrefix("font/") { return .font }
        return nil
    }
}
