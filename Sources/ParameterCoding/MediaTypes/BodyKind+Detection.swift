extension BodyKind {
    /// Detects the kind of a body: the one that Content-Type declares, unless the first bytes
    /// contradict it.
    ///
    /// `octets` may be only the start of the body, with content codings removed.
    public static func detect(contentType: MediaType?, octets: Span<UInt8>) -> BodyKind {
        if octets.isEmpty { return .empty }
        guard let contentType, let declared = BodyKind(declared: contentType) else {
            return sniff(octets, contentType: contentType)
        }
        let first = Sniffer.firstVisible(octets)
        switch declared {
        case .json, .jsonLines:
            return Sniffer.canBeginJSON(octets) ? declared : sniff(octets, contentType: nil)
        case .form, .plainText:
            return unmasked(declared, octets)
        case .xml:
            guard first == UInt8(ascii: "<") else { return sniff(octets, contentType: nil) }
            return Sniffer.contains("<plist", octets) ? .propertyListXML : .xml
        case .image(let subtype) where !subtype.hasSuffix("xml"):
            return first == UInt8(ascii: "<")
                ? sniff(octets, contentType: nil) : uncontradicted(declared, octets)
        case .image, .html:
            // These types are markup themselves.
            return Sniffer.magic(octets) ?? (Sniffer.looksLikeJSON(octets) ? .json : declared)
        case .javaScript where first != UInt8(ascii: "{"):
            // A script may start with an array.
            return Sniffer.magic(octets) ?? document(octets) ?? declared
        case .multipartForm(let boundary), .multipart(let boundary):
            return parts(declared, boundary, octets)
        default:
            return uncontradicted(declared, octets)
        }
    }

    /// The declared kind, unless the bytes have another signature, or are the JSON or the document
    /// that a server sends in its place after an error.
    private static func uncontradicted(_ declared: BodyKind, _ octets: Span<UInt8>) -> BodyKind {
        if let kind = Sniffer.magic(octets) {
            // Audio, video and images share containers: the declared type is more specific.
            return kind.isInMediaContainer && declared.isMedia ? declared : kind
        }
        if Sniffer.looksLikeJSON(octets) { return .json }
        return document(octets) ?? declared
    }

    private static func document(_ octets: Span<UInt8>) -> BodyKind? {
        Sniffer.beginsDocument(octets) ? Sniffer.markup(octets) : nil
    }

    private var isInMediaContainer: Bool { self == .audio || self == .video }

    private var isMedia: Bool {
        if case .image = self { return true }
        return isInMediaContainer
    }

    /// Form and plain text are defaults of clients: curl's `-d` declares every body as a form.
    /// JSON, multipart boundaries, signatures and (in a form) markup reveal the actual kind.
    private static func unmasked(_ declared: BodyKind, _ octets: Span<UInt8>) -> BodyKind {
        if Sniffer.looksLikeJSON(octets) { return .json }
        if let kind = Sniffer.magic(octets) { return kind }
        if let boundary = Sniffer.boundary(octets) { return .multipartForm(boundary: boundary) }
        // A form may start with `<`, but not with the first tag of a document.
        return (declared == .form ? document(octets) : nil) ?? declared
    }

    /// Multipart bodies use the boundary that is present, whatever was declared.
    private static func parts(
        _ declared: BodyKind, _ boundary: [UInt8], _ octets: Span<UInt8>
    ) -> BodyKind {
        if Sniffer.begins(octets, [0x2D, 0x2D] + boundary) { return declared }
        if Sniffer.looksLikeJSON(octets) { return .json }
        if let kind = Sniffer.magic(octets) ?? document(octets) { return kind }
        if let found = Sniffer.boundary(octets) { return .multipartForm(boundary: found) }
        let isForm = Sniffer.looksLikeForm(octets) && !Sniffer.begins(octets, [0x2D, 0x2D])
        return isForm ? .form : declared
    }

    private static func sniff(_ octets: Span<UInt8>, contentType: MediaType?) -> BodyKind {
        if let kind = Sniffer.magic(octets) { return kind }
        if let boundary = Sniffer.boundary(octets) { return .multipartForm(boundary: boundary) }
        guard Sniffer.looksLikeText(octets) else { return .binary }
        if Sniffer.looksLikeJSON(octets) { return .json }
        if let kind = Sniffer.markup(octets) { return kind }
        // application/octet-stream declares bytes: `a=b` is not a form there, but it is without a
        // type.
        let mayBeForm = contentType?.essence != "application/octet-stream"
        return mayBeForm && Sniffer.looksLikeForm(octets) ? .form : .plainText
    }
}
