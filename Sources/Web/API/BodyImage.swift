internal import ProxydInterchange
internal import ProxydWebServer

/// Images of raster formats, recognised by their signature; everything else is refused, SVG
/// because it can hold scripts.
enum BodyImage {
    private static let signatures: [(type: String, offset: Int, bytes: [UInt8])] = [
        ("image/png", 0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        ("image/jpeg", 0, [0xFF, 0xD8, 0xFF]),
        ("image/gif", 0, Array("GIF8".utf8)),
        ("image/webp", 8, Array("WEBP".utf8)),
        ("image/bmp", 0, Array("BM".utf8)),
    ]

    static func response(_ content: BodyContent) throws(WebProblem) -> WebResponse {
        let bytes = content.octets
        let found = signatures.first {
            bytes.count >= $0.offset + $0.bytes.count
                && bytes[$0.offset...].starts(with: $0.bytes)
        }
        guard let found else { throw WebProblem(415, "the body is not an image of a known format") }
        return WebResponse(type: found.type, bytes)
    }
}
