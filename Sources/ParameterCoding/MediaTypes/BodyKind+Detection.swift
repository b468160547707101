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
            return Sniffer.canBeginJSON(first) ? declared : sniff(octets, contentType: nil)
        case .form, .plainText:
            return Sniffer.looksLikeJSON(octets) ? .json : declared
        case .xml:
            guard first == UInt8(ascii: "<") else { return sniff(octets, contentType: nil) }
            return Sniffer.contains("<plist", octets) ? .propertyListXML : .xml
        case .image(let subtype) where !subtype.hasSuffix("xml"):
            if let kind = Sniffer.magic(octets) { return kind }
            return first == UInt8(ascii: "<") ? sniff(octets, contentType: nil) : declared
        case .multipartForm, .multipart:
            return Sniffer.looksLikeJSON(octets) ? .json : declared
        default:
            return declared
        }
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
