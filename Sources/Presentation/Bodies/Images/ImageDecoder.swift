/// Decodes an image to a small picture. The cost is known in advance from the frame that will be
/// decoded, because other sizes in the file may differ.
protocol ImageDecoder {
    /// Reads up to the start of the pixels; returns nil if there are none that can be decoded.
    init?(_ source: any BodySource)

    /// The maximum cost of decoding, in units of about a pixel.
    var pixelCost: Int { get }

    /// Decodes the picture as far as the bytes reach, or returns nil if there is none.
    mutating func picture(widthMax: Int, heightMax: Int) -> Picture?
}

extension ImageFacts.Format {
    /// The decoder for this format, or nil for formats that are not drawn.
    var decoder: (any ImageDecoder.Type)? {
        switch self {
        case .png: PNGDecoder.self
        case .gif: GIFDecoder.self
        case .jpeg: JPEGDecoder.self
        case .webp, .bmp: nil
        }
    }
}
