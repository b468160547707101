internal import ProxydContentCoding
package import ProxydParameterCoding

/// What is known of a body before anybody looks at all of it: enough to choose a viewer.
package struct BodyFacts: Sendable {
    /// Octets that a look at the beginning takes.
    package static let lookByteCount = 4 << 10

    /// The value of Content-Type; nil where there is none.
    package var contentType: String?
    /// The value of Content-Encoding; nil where there is none.
    package var contentEncoding: String?
    /// Octets that passed.
    package var passedByteCount: Int64
    /// Octets that were kept, content codings on them.
    package var keptByteCount: Int64
    /// What Content-Type says, read.
    private(set) var mediaType: MediaType?
    /// What the content is, by its type and its first octets.
    package private(set) var kind: BodyKind
    /// The first decoded octets.
    package private(set) var beginning: [UInt8]

    /// The facts of a body whose beginning is known.
    package init(
        contentType: String?, contentEncoding: String? = nil, passedByteCount: Int64,
        keptByteCount: Int64, beginning: [UInt8]
    ) {
        self.contentType = contentType
        self.contentEncoding = contentEncoding
        self.passedByteCount = passedByteCount
        self.keptByteCount = keptByteCount
        self.beginning = Array(beginning.prefix(BodyFacts.lookByteCount))
        mediaType = contentType.flatMap { MediaType($0) }
        let first = self.beginning
        let declared = BodyKind.detect(contentType: mediaType, octets: first.span)
        kind = declared
        // An error page that is sent as what was asked for: text is none of these.
        if declared.isBinary, BodyFacts.isText(first) {
            kind = BodyKind.detect(contentType: nil, octets: first.span)
        }
    }

    /// The facts of octets in memory.
    package init(contentType: String?, octets: [UInt8]) {
        self.init(
            contentType: contentType, passedByteCount: Int64(octets.count),
            keptByteCount: Int64(octets.count), beginning: octets)
    }

    /// The facts of octets that are known to be a text, whatever they look like.
    package init(text octets: [UInt8]) {
        self.init(contentType: "text/plain; charset=utf-8", octets: octets)
        kind = .plainText
    }

    /// What parts a multipart body; nil for all others.
    var multipartBoundary: [UInt8]? {
        switch kind {
        case .multipart(let boundary), .multipartForm(let boundary): boundary
        default: nil
        }
    }

    /// Whether the first octets are text in any charset: no control characters but white space.
    var looksLikeText: Bool {
        if TextEncoding.byteOrderMark(beginning) != nil { return true }
        return BodyFacts.isText(beginning)
    }

    private static func isText(_ octets: [UInt8]) -> Bool {
        octets.allSatisfy { $0 >= 0x20 && $0 != 0x7F || 0x09...0x0D ~= $0 || $0 == 0x1B }
    }

    /// What was done to the body, for a line above it: type, codings with sizes, truncation,
    /// problems.
    package func summary(_ extent: BodyExtent) -> String {
        var parts = [contentType ?? "no content type"]
        let decoded = Quantity.bytes(Int64(extent.byteCount))
        if let contentEncoding {
            let more = extent.isComplete ? "" : "+"
            parts.append("\(contentEncoding), \(Quantity.bytes(keptByteCount)) → \(decoded)\(more)")
        } else {
            parts.append(Quantity.bytes(passedByteCount))
        }
        if keptByteCount < passedByteCount {
            let kept = Quantity.bytes(keptByteCount)
            parts.append("truncated: kept \(kept) of \(Quantity.bytes(passedByteCount))")
        }
        if let failure = extent.failure { parts.append(failure) }
        return parts.joined(separator: " · ")
    }
}

extension BodyKind {
    /// Whether no content of this kind is text.
    package var isBinary: Bool {
        switch self {
        case .image(let subtype): !subtype.hasSuffix("xml")
        case .audio, .video, .font, .archive, .webAssembly, .protobuf, .grpc, .messagePack, .cbor:
            true
        default: false
        }
    }
}
