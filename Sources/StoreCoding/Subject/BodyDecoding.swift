package import ProxydContentCoding
package import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Decodes the stored bytes of bodies.
package enum BodyDecoding {
    /// A body with the content codings that its head names removed, as far as it can be decoded.
    package static func decoded(
        _ bytes: [UInt8], _ fields: HeaderFields?, limits: DecodingLimits = DecodingLimits()
    ) -> (bytes: [UInt8], failure: ContentCodingError?) {
        let codings = fields?.values(named: "content-encoding") ?? []
        guard !codings.isEmpty else { return (bytes, nil) }
        let decoded = ContentDecoder.decode(
            bytes.span, contentEncoding: codings.joined(separator: ","), limits: limits)
        return (decoded.bytes, decoded.failure)
    }

    /// The text of a body as UTF-8, with its content codings removed; its bytes if it is no text.
    /// - Parameter isCut: Whether only the start of the body was stored.
    package static func text(
        _ bytes: [UInt8], _ fields: HeaderFields?, isCut: Bool,
        limits: DecodingLimits = DecodingLimits()
    ) -> (bytes: [UInt8], failure: ContentCodingError?) {
        let decoded = decoded(bytes, fields, limits: limits)
        let text = BodyText.searched(
            decoded.bytes, contentType: fields?.value(.contentType),
            isTruncated: isCut || decoded.failure != nil)
        return (text, decoded.failure)
    }

    /// Whether the positions of a body's messages are counted in other bytes than its own.
    package static func hasMessageBytes(_ fields: HeaderFields) -> Bool {
        fields.first(.contentEncoding) != nil || MessageFraming(fields) == .grpcWebText
    }

    /// The bytes in which the positions of a body's messages are counted: with content codings
    /// removed and the base64 of grpc-web-text decoded.
    package static func messageBytes(_ bytes: [UInt8], _ fields: HeaderFields?) -> [UInt8] {
        let body = decoded(bytes, fields).bytes
        guard let fields, MessageFraming(fields) == .grpcWebText else { return body }
        var stream = Base64Stream()
        var bytes: [UInt8] = []
        stream.decode(body.span, into: &bytes)
        return bytes
    }
}
