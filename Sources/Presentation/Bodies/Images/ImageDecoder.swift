/// Makes a small picture of an image. What that costs is known before it begins, by the very frame
/// that will be decoded: the sizes that stand elsewhere in the file may be others.
protocol ImageDecoder {
    /// Reads up to where the pixels begin; nil where there are none that can be decoded.
    init?(_ source: any BodySource)

    /// What decoding costs at most, in units of about a pixel.
    var pixelCost: Int { get }

    /// The picture, as far as the octets go; nil where there is none.
    mutating func picture(widthMax: Int, heightMax: Int) -> Picture?
}

extension ImageFacts.Format {
    /// What decodes images of this format; nil for those that are not drawn.
    var decoder: (any ImageDecoder.Type)? {
        switch self {
        case .png: PNGDecoder.self
        case .gif: GIFDecoder.self
        case .jpeg: JPEGDecoder.self
        case .webp, .bmp: nil
        }
    }
}
