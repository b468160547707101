internal import ProxydCharsets

/// The kind of a body, which determines how it is shown and parsed.
public enum BodyKind: Sendable, Hashable {
    case empty
    /// A single JSON text.
    case json
    /// Several JSON texts, one per line.
    case jsonLines
    /// application/x-www-form-urlencoded.
    case form
    /// multipart/form-data with its boundary.
    case multipartForm(boundary: [UInt8])
    /// Another multipart type with its boundary.
    case multipart(boundary: [UInt8])
    case xml
    case html
    case css
    case javaScript
    case eventStream
    /// Text of no other known kind.
    case plainText
    case propertyListXML
    case propertyListBinary
    /// An image of this subtype: `png`, `svg+xml`…
    case image(String)
    case audio
    case video
    case font
    case pdf
    /// zip, gzip, zstd and the like, as content rather than as content coding.
    case archive
    case webAssembly
    case protobuf
    /// Messages of gRPC, gRPC-Web or Connect, each with its length prefix.
    case grpc
    case messagePack
    /// CBOR (RFC 8949).
    case cbor
    /// None of the above, or unknown.
    case binary

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
        case "application/msgpack", "application/x-msgpack", "application/vnd.msgpack": .messagePack
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

    /// Detects a body's kind: the declared one, unless the first bytes contradict it.
    ///
    /// `bytes` may be only the start of the body, with content codings removed.
    public static func detect(contentType: MediaType?, bytes: Span<UInt8>) -> BodyKind {
        if bytes.isEmpty { return .empty }
        return wide(contentType, bytes) ?? narrow(contentType, bytes)
    }

    /// The kind of a text in UTF-16 or UTF-32, by its start; nil for anything else.
    private static func wide(_ contentType: MediaType?, _ bytes: Span<UInt8>) -> BodyKind? {
        let declared = contentType.flatMap { BodyKind(declared: $0) }
        guard declared?.isText ?? true, mayBeWide(contentType, bytes) else { return nil }
        let charset = TextCharset(of: bytes, label: contentType?.charset, syntax: .json)
        guard charset.charset.unitByteCount > 1 else { return nil }
        let start = bytes.extracting(0..<min(bytes.count, Sniffer.lookByteCountMax))
        let text = charset.decode(start, isTruncated: true)
        let kind = narrow(contentType, Array(text.text.utf8).span)
        // Zeros alone are no proof of a text.
        let isText = charset.origin == .codeUnits ? kind == .json || kind == .xml : kind.isText
        return isText ? kind : nil
    }

    private static func mayBeWide(_ contentType: MediaType?, _ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 2 else { return false }
        if bytes[0] == 0 || bytes[1] == 0 || bytes[0] >= 0xFE && bytes[1] >= 0xFE { return true }
        guard let label = contentType?.charset, let charset = Charset(label: label) else {
            return false
        }
        return charset.unitByteCount > 1
    }

    private static func narrow(_ contentType: MediaType?, _ bytes: Span<UInt8>) -> BodyKind {
        guard let contentType, let declared = BodyKind(declared: contentType) else {
            return sniff(bytes, contentType: contentType)
        }
        let first = Sniffer.firstVisible(bytes)
        switch declared {
        case .json, .jsonLines:
            return Sniffer.canBeginJSON(bytes) ? declared : sniff(bytes, contentType: nil)
        case .form, .plainText: return unmasked(declared, bytes)
        case .xml:
            guard first == UInt8(ascii: "<") else { return sniff(bytes, contentType: nil) }
            return Sniffer.contains("<plist", bytes) ? .propertyListXML : .xml
        case .image(let subtype) where !subtype.hasSuffix("xml"):
            return first == UInt8(ascii: "<")
                ? sniff(bytes, contentType: nil) : uncontradicted(declared, bytes)
        case .image, .html:
            // These types are markup themselves.
            return Sniffer.magic(bytes) ?? (Sniffer.looksLikeJSON(bytes) ? .json : declared)
        case .javaScript where first != UInt8(ascii: "{"):
            // A script may start with an array.
            return Sniffer.magic(bytes) ?? document(bytes) ?? declared
        case .multipartForm(let boundary), .multipart(let boundary):
            return parts(declared, boundary, bytes)
        default: return uncontradicted(declared, bytes)
        }
    }

    /// The declared kind, unless the bytes have another signature, or are the JSON or the document
    /// that a server sends in its place after an error.
    private static func uncontradicted(_ declared: BodyKind, _ bytes: Span<UInt8>) -> BodyKind {
        if let kind = Sniffer.magic(bytes) {
            // Audio, video and images share containers: the declared type is more specific.
            return kind.isInMediaContainer && declared.isMedia ? declared : kind
        }
        if Sniffer.looksLikeJSON(bytes) { return .json }
        return document(bytes) ?? declared
    }

    private static func document(_ bytes: Span<UInt8>) -> BodyKind? {
        Sniffer.beginsDocument(bytes) ? Sniffer.markup(bytes) : nil
    }

    private var isInMediaContainer: Bool { self == .audio || self == .video }

    private var isMedia: Bool {
        if case .image = self { return true }
        return isInMediaContainer
    }

    /// Form and plain text are defaults of clients: curl's `-d` declares every body as a form.
    /// JSON, multipart boundaries, signatures and (in a form) markup reveal the actual kind.
    private static func unmasked(_ declared: BodyKind, _ bytes: Span<UInt8>) -> BodyKind {
        if Sniffer.looksLikeJSON(bytes) { return .json }
        if let kind = Sniffer.magic(bytes) { return kind }
        if let boundary = Sniffer.boundary(bytes) { return .multipartForm(boundary: boundary) }
        // A form may start with `<`, but not with the first tag of a document.
        return (declared == .form ? document(bytes) : nil) ?? declared
    }

    /// Multipart bodies use the boundary that is present, whatever was declared.
    private static func parts(
        _ declared: BodyKind, _ boundary: [UInt8], _ bytes: Span<UInt8>
    ) -> BodyKind {
        if Sniffer.begins(bytes, [0x2D, 0x2D] + boundary) { return declared }
        if Sniffer.looksLikeJSON(bytes) { return .json }
        if let kind = Sniffer.magic(bytes) ?? document(bytes) { return kind }
        if let found = Sniffer.boundary(bytes) { return .multipartForm(boundary: found) }
        let isForm = Sniffer.looksLikeForm(bytes) && !Sniffer.begins(bytes, [0x2D, 0x2D])
        return isForm ? .form : declared
    }

    private static func sniff(_ bytes: Span<UInt8>, contentType: MediaType?) -> BodyKind {
        if let kind = Sniffer.magic(bytes) { return kind }
        if let boundary = Sniffer.boundary(bytes) { return .multipartForm(boundary: boundary) }
        guard Sniffer.looksLikeText(bytes) else { return .binary }
        if Sniffer.looksLikeJSON(bytes) { return .json }
        if let kind = Sniffer.markup(bytes) { return kind }
        // application/octet-stream declares bytes: `a=b` is not a form there, and only UTF-8 is
        // text. Without a type, it is a form, and text may be in any charset.
        if contentType?.essence == "application/octet-stream" {
            return beginsUTF8(bytes) ? .plainText : .binary
        }
        return Sniffer.looksLikeForm(bytes) ? .form : .plainText
    }

    /// Whether the first bytes are UTF-8. They may end within a character, but for the first.
    private static func beginsUTF8(_ bytes: Span<UInt8>) -> Bool {
        let sight = bytes.extracting(first: Sniffer.lookByteCountMax)
        return UTF8Check.validByteCount(sight) > 0 && UTF8Check.isValid(sight, isTruncated: true)
    }
}
