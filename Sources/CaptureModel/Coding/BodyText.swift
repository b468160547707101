package import ProxydContentCoding
package import ProxydFilter
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

/// Encodes bytes as text for search indexes, so that a trigram of an index is exactly three bytes,
/// with ASCII letters in any case: the same comparison as in `ByteSearch`.
///
/// Each byte becomes one character: ASCII bytes themselves, others U+0080…U+00FF, so that bytes
/// that are not UTF-8 cannot be misread. NUL, which databases do not take, becomes U+0100; no
/// filter can contain one.
package enum SearchText {
    /// Shorter needles have no trigram.
    package static let needleByteCountMin = 3

    /// Appends bytes in the encoding of the index, as UTF-8.
    package static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
        for index in bytes.indices {
            let byte = bytes[index]
            switch byte {
            case 0x41...0x5A: text.append(byte | 0x20)
            case 0x01...0x7F: text.append(byte)
            case 0x00: text += [0xC4, 0x80]
            default: text += [0xC0 | byte >> 6, 0x80 | byte & 0x3F]
            }
        }
    }

    /// Whether bytes look like text: few control characters.
    package static func isText(_ bytes: Span<UInt8>) -> Bool {
        var controlCount = 0
        for index in bytes.indices {
            switch bytes[index] {
            case 0x09, 0x0A, 0x0C, 0x0D, 0x1B, 0x20...0xFF: continue
            default: controlCount += 1
            }
        }
        return controlCount <= bytes.count / 64
    }

    /// Bytes that each matching text contains, with ASCII letters in lower case; nil if there are
    /// too few to search for.
    package static func needle(of match: FilterTextMatch) -> [UInt8]? {
        let needle: [UInt8]? =
            switch match {
            case .contains(let search): search.needle
            case .equals(let text), .isHost(let text): ByteSearch(text).needle
            case .regex(let regex): regex.literalPrefix.map { ByteSearch($0).needle }
            }
        guard let needle, needle.count >= needleByteCountMin, !needle.containsReplacement else {
            return nil
        }
        return needle
    }
}

extension [UInt8] {
    /// Whether it contains U+FFFD, which a predicate sees in place of bytes that are not UTF-8.
    fileprivate var containsReplacement: Bool {
        indices.dropLast(2).contains { self[$0...].starts(with: [0xEF, 0xBF, 0xBD]) }
    }
}
