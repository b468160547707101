import ClientLib
import Foundation

/// 64 MiB of one block, repeated; looked at piece by piece.
struct LargeBody {
    static let blockCount = 1_024
    static let block = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    static let byteCount = Int64(blockCount * block.count)
    /// All of it.
    static var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(blockCount * block.count)
        for _ in 0..<blockCount { bytes.append(contentsOf: block) }
        return bytes
    }
    /// Every piece that begins in a block lies in two.
    private static let twice = block + block

    private var count = 0
    private var isRight = true

    var isWhole: Bool { isRight && count == LargeBody.byteCount }

    mutating func take(_ piece: some Collection<UInt8> & ContiguousBytes) {
        piece.withUnsafeBytes { bytes in
            LargeBody.twice.withUnsafeBytes { expected in
                var offset = 0
                while offset < bytes.count, isRight {
                    let start = (count + offset) % LargeBody.block.count
                    let length = min(bytes.count - offset, LargeBody.block.count)
                    guard let seen = bytes.baseAddress, let wanted = expected.baseAddress else {
                        return
                    }
                    isRight = memcmp(seen + offset, wanted + start, length) == 0
                    offset += length
                }
            }
        }
        count += piece.count
    }

    /// Whether a file has it, and nothing else.
    static func isHeld(by file: URL) throws -> Bool {
        let handle = try FileHandle(forReadingFrom: file)
        var body = LargeBody()
        while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty { body.take(piece) }
        return body.isWhole
    }
}

/// The body, block by block.
struct LargeBodySource: BodySource {
    private var count = 0

    mutating func next() async -> [UInt8]? {
        guard count < LargeBody.blockCount else { return nil }
        count += 1
        return LargeBody.block
    }
}
