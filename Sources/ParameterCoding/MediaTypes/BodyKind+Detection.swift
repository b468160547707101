extension BodyKind {
    /// What a body is: what Content-Type declares, unless its first octets say that cannot be.
    ///
    /// `octets` may be only the beginning of the body, content codings undone.
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
            // Markup they are themselves.
            return Sniffer.magic(octets) ?? (Sniffer.looksLikeJSON(octets) ? .json : declared)
        case .javaScript where first != UInt8(ascii: "{"):
            // A program may begin with an array.
            return Sniffer.magic(octets) ?? document(octets) ?? declared
        case .multipartForm(let boundary), .multipart(let boundary):
            return parts(declared, boundary, octets)
        default:
            return uncontradicted(declared, octets)
        }
    }

    /// What was declared, unless the octets have the signature of something else, or are the JSON
    /// or the document that a server sends in its place when something went wrong.
    private static func uncontradicted(_ declared: BodyKind, _ octets: Span<UInt8>) -> BodyKind {
        if let kind = Sniffer.magic(octets) {
            // Sound, films and pictures share containers: the name tells more.
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

    /// Form and plain text are what clients say when they say nothing: curl's `-d` calls every
    /// body a form. JSON, parts, signatures and (in a form) markup show what it is.
    private static func unmasked(_ declared: BodyKind, _ octets: Span<UInt8>) -> BodyKind {
        if Sniffer.looksLikeJSON(octets) { return .json }
        if let kind = Sniffer.magic(octets) { return kind }
        if let boundary = Sniffer.boundary(octets) { return .multipartForm(boundary: boundary) }
        // A form may begin with `<`, but then it is not text that has a document's first tag.
        return (declared == .form ? document(octets) : nil) ?? declared
    }

    /// Parts are separated by the boundary that is there, whatever was declared.
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
        // application/octet-stream says bytes: `a=b` there is no form, but without a type it is.
        let mayBeForm = contentType?.essence != "application/octet-stream"
        return mayBeForm && Sniffer.looksLikeForm(octets) ? .form : .plainText
    }
}
