internal import Foundation

/// The inverse discrete cosine transform of a block of 8 by 8 (ITU-T T.81 §A.3.3).
enum JPEGTransform {
    /// The positions of a block's coefficients, in the order in which they are stored.
    static let zigzag = [
        0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27,
        20, 13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
        58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
    ]

    /// `basis[x * 8 + u]` is the contribution of coefficient u to sample x.
    private static let basis: [Float] = (0..<64).map { index in
        let (x, u) = (index / 8, index % 8)
        let scale: Double = u == 0 ? 0.5.squareRoot() / 2 : 0.5
        return Float(scale * cos(Double(2 * x + 1) * Double(u) * Double.pi / 16))
    }

    /// The samples of a block of 64 coefficients; if not exact, all have the mean value.
    static func samples(_ coefficients: [Int], isExact: Bool) -> [UInt8] {
        guard isExact, coefficients.contains(where: { $0 != 0 }) else {
            let mean = UInt8(clamping: (coefficients.first ?? 0) / 8 + 128)
            return [UInt8](repeating: mean, count: 64)
        }
        var rows = [Float](repeating: 0, count: 64)
        for v in 0..<8 {
            for x in 0..<8 {
                var sum: Float = 0
                for u in 0..<8 { sum += basis[x * 8 + u] * Float(coefficients[v * 8 + u]) }
                rows[v * 8 + x] = sum
            }
        }
        return (0..<64).map { index in
            let (y, x) = (index / 8, index % 8)
            var sum: Float = 128.5
            for v in 0..<8 { sum += basis[y * 8 + v] * rows[v * 8 + x] }
            return UInt8(min(255, max(0, sum)))
        }
    }
}
