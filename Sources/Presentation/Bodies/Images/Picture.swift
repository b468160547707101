/// A picture that is scaled down while its pixels arrive, in any order: each of its pixels is the
/// average of the source pixels that map to it.
struct Picture: Sendable {
    /// The width of the scaled picture in pixels.
    let width: Int
    let height: Int
    private let sourceWidth: Int
    private let sourceHeight: Int
    private var sums: [SIMD4<UInt32>]

    /// Creates a picture of at most `widthMax` by `heightMax` pixels for an image of any size, or
    /// returns nil for an image without pixels.
    init?(sourceWidth: Int, sourceHeight: Int, widthMax: Int, heightMax: Int) {
        guard sourceWidth > 0, sourceHeight > 0, widthMax > 0, heightMax > 0 else { return nil }
        let scale = min(
            1, Double(widthMax) / Double(sourceWidth), Double(heightMax) / Double(sourceHeight))
        width = max(1, min(widthMax, Int(Double(sourceWidth) * scale)))
        height = max(1, min(heightMax, Int(Double(sourceHeight) * scale)))
        self.sourceWidth = sourceWidth
        self.sourceHeight = sourceHeight
        sums = Array(repeating: .zero, count: width * height)
    }

    /// Adds a pixel of the image. Transparent ones are blended with middle grey.
    mutating func add(x: Int, y: Int, _ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8) {
        guard (0..<sourceWidth).contains(x), (0..<sourceHeight).contains(y) else { return }
        let index = (y * height / sourceHeight) * width + x * width / sourceWidth
        let opacity = UInt32(alpha)
        let ground = (255 - opacity) * 0x80
        let color = SIMD4<UInt32>(UInt32(red), UInt32(green), UInt32(blue), 0) &* opacity &+ ground
        var pixel = color / 255
        pixel.w = 1
        sums[index] &+= pixel
    }

    /// The rows as lines of half blocks, with two pixels in a cell.
    func lines() -> [StyledText] {
        stride(from: 0, to: height, by: 2).map { y in
            var line = StyledText()
            for x in 0..<width {
                line.appendPixels(top: paint(x, y), bottom: paint(x, y + 1))
            }
            return line
        }
    }

    private func paint(_ x: Int, _ y: Int) -> Style.Paint {
        guard y < height else { return .role(.plain) }
        let sum = sums[y * width + x]
        guard sum.w > 0 else { return .role(.plain) }
        let color = sum / SIMD4(repeating: sum.w)
        return .rgb(
            UInt8(truncatingIfNeeded: color.x), UInt8(truncatingIfNeeded: color.y),
            UInt8(truncatingIfNeeded: color.z))
    }
}
