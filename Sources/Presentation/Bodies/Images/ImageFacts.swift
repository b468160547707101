/// Facts from an image's header.
package struct ImageFacts: Sendable, Hashable {
    /// A format of pixels; each is recognised by its signature.
    package enum Format: String, Sendable {
        case png = "PNG"
        case jpeg = "JPEG"
        case gif = "GIF"
        case webp = "WebP"
        case bmp = "BMP"

        /// The media type, such as `image/png`.
        package var mediaType: String { "image/\(rawValue.lowercased())" }
    }

    /// The format of the image.
    package var format: Format
    /// The width in pixels.
    var width: Int
    var height: Int
    /// Colours, depth and compression as one phrase.
    var details: String

    /// Parses the first bytes of an image; returns nil if the format is unknown.
    package init?(_ bytes: [UInt8]) {
        let reader = ByteReader(bytes)
        if let facts = ImageFacts.png(reader) ?? ImageFacts.gif(reader)
            ?? ImageFacts.webp(reader) ?? ImageFacts.bmp(reader) ?? ImageFacts.jpeg(reader)
        {
            self = facts
        } else {
            return nil
        }
    }

    private init(_ format: Format, _ width: Int?, _ height: Int?, _ details: String) {
        self.format = format
        self.width = width ?? 0
        self.height = height ?? 0
        self.details = details
    }

    private static func png(_ reader: ByteReader) -> ImageFacts? {
        guard reader.starts([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
            let header = PNGHeader(reader)
        else { return nil }
        let interlaced = header.isInterlaced ? ", interlaced" : ""
        return ImageFacts(
            .png, header.width, header.height,
            "\(header.color.name), \(header.bitDepth) bit\(interlaced)")
    }

    private static func gif(_ reader: ByteReader) -> ImageFacts? {
        guard reader.starts("GIF87a") || reader.starts("GIF89a") else { return nil }
        let flags = reader[10] ?? 0
        let colors = flags & 0x80 != 0 ? 2 << Int(flags & 7) : 0
        return ImageFacts(
            .gif, reader.little16(6), reader.little16(8),
            colors > 0 ? "\(colors) colours" : "no global colours")
    }

    private static func bmp(_ reader: ByteReader) -> ImageFacts? {
        guard reader.starts("BM"), let width = reader.little32(18),
            let height = reader.little32(22), let bits = reader.little16(28)
        else { return nil }
        let signed = Int32(truncatingIfNeeded: height)
        return ImageFacts(.bmp, width, Int(signed.magnitude), "\(bits) bit")
    }

    /// Parses WebP, which has one of three kinds of first chunk (RFC 9649 §2).
    private static func webp(_ reader: ByteReader) -> ImageFacts? {
        guard reader.starts("RIFF"), reader.starts("WEBP", at: 8) else { return nil }
        if reader.starts("VP8X", at: 12) {
            let flags = reader[20] ?? 0
            let kind = flags & 0x02 != 0 ? "animated" : "extended"
            let alpha = flags & 0x10 != 0 ? ", transparent" : ""
            return ImageFacts(
                .webp, reader.little24(24).map { $0 + 1 }, reader.little24(27).map { $0 + 1 },
                kind + alpha)
        }
        if reader.starts("VP8L", at: 12), let bits = reader.little32(21) {
            return ImageFacts(.webp, bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1, "lossless")
        }
        if reader.starts("VP8 ", at: 12) {
            return ImageFacts(
                .webp, reader.little16(26).map { $0 & 0x3FFF },
                reader.little16(28).map { $0 & 0x3FFF }, "lossy")
        }
        return ImageFacts(.webp, nil, nil, "unknown kind")
    }

    /// Parses JPEG: the first frame header among the segments in view (ITU-T T.81 annex B).
    private static func jpeg(_ reader: ByteReader) -> ImageFacts? {
        guard reader.starts([0xFF, 0xD8, 0xFF]) else { return nil }
        var position = 2
        while let marker = reader[position + 1], reader[position] == 0xFF {
            if marker == 0xFF {
                position += 1
                continue
            }
            let isFrame = 0xC0...0xCF ~= marker && ![0xC4, 0xC8, 0xCC].contains(marker)
            if isFrame, let components = reader[position + 9] {
                let isProgressive = [0xC2, 0xC6, 0xCA, 0xCE].contains(marker)
                let kind = isProgressive ? "progressive" : "baseline"
                return ImageFacts(
                    .jpeg, reader.big16(position + 7), reader.big16(position + 5),
                    "\(kind), \(components == 1 ? "grey" : "\(components) components")")
            }
            guard marker != 0xD9, marker != 0xDA, let length = reader.big16(position + 2) else {
                break
            }
            position += 2 + max(2, length)
        }
        return ImageFacts(.jpeg, nil, nil, "no frame found")
    }
}
