/// aws-chunked, in which clients of Amazon S3 stream what they upload (Signature Version 4): chunks
/// with their size in hexadecimal and usually a signature, then trailers such as a checksum.
/// Signatures and trailers are skipped.
///
///     size ─(;)─▶ extension ─▶ LF ─▶ data ─▶ CR LF ─▶ size
///       └───(CR)────────────────┘ └─(size 0)─▶ trailers ─(empty line)─▶ rest
final class AWSChunkedLayer: CodingLayer {
    private enum Phase {
        case size(Int, digitCount: Int)
        case chunkExtension(size: Int, byteCount: Int)
        case sizeLineFeed(size: Int)
        case data(remaining: Int)
        case dataReturn
        case dataLineFeed
        case trailers(lineByteCount: Int, byteCount: Int)
        /// Further bytes are ignored, as after a stream of any coding.
        case rest
        case failed
    }

    private static let digitCountMax = 15
    private static let extensionByteCountMax = 2 << 10
    private static let trailersByteCountMax = 64 << 10

    private var phase = Phase.size(0, digitCount: 0)
    /// At least the sizes of the chunks are not decoded.
    let hasUnusedInput = true

    /// The empty line after the trailers may be missing.
    var isAtEnd: Bool {
        switch phase {
        case .rest, .trailers(lineByteCount: 0, _): true
        default: false
        }
    }

    func step(
        _ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> LayerStep {
        var (taken, given) = (0, 0)
        while taken < input.count {
            switch phase {
            case .data(let remaining):
                let count = min(remaining, input.count &- taken, output.count &- given)
                guard count > 0 else { return step(taken, given) }
                for index in 0..<count { output[given &+ index] = input[taken &+ index] }
                (taken, given) = (taken &+ count, given &+ count)
                phase = count == remaining ? .dataReturn : .data(remaining: remaining &- count)
            case .rest: return step(input.count, given)
            case .failed: return step(taken, given)
            default:
                phase = next(input[taken])
                if case .failed = phase { continue }
                taken &+= 1
            }
        }
        return step(taken, given)
    }

    private func step(_ taken: Int, _ given: Int) -> LayerStep {
        let isFailed = if case .failed = phase { true } else { false }
        return LayerStep(
            consumedByteCount: taken, producedByteCount: given,
            outcome: isFailed ? .corrupt : .running)
    }

    /// The phase after a byte that is not data.
    private func next(_ byte: UInt8) -> Phase {
        switch (phase, byte) {
        case (.size(let size, let count), 0x0D) where count > 0: .sizeLineFeed(size: size)
        case (.size(let size, let count), 0x3B) where count > 0:
            .chunkExtension(size: size, byteCount: 0)
        case (.size(let size, let count), _) where count < AWSChunkedLayer.digitCountMax:
            AWSChunkedLayer.digit(byte).map { .size(size << 4 | $0, digitCount: count + 1) }
                ?? .failed
        case (.chunkExtension(let size, _), 0x0D): .sizeLineFeed(size: size)
        case (.chunkExtension(let size, let count), 0x20...0x7E)
        where count < AWSChunkedLayer.extensionByteCountMax:
            .chunkExtension(size: size, byteCount: count + 1)
        case (.sizeLineFeed(0), 0x0A): .trailers(lineByteCount: 0, byteCount: 0)
        case (.sizeLineFeed(let size), 0x0A): .data(remaining: size)
        case (.dataReturn, 0x0D): .dataLineFeed
        case (.dataLineFeed, 0x0A): .size(0, digitCount: 0)
        case (.trailers(let line, let count), _)
        where count < AWSChunkedLayer.trailersByteCountMax:
            trailers(byte, line, count + 1)
        default: .failed
        }
    }

    /// Lines end in CR LF, or LF alone.
    private func trailers(_ byte: UInt8, _ lineByteCount: Int, _ byteCount: Int) -> Phase {
        switch byte {
        case 0x0A: lineByteCount == 0 ? .rest : .trailers(lineByteCount: 0, byteCount: byteCount)
        case 0x0D: .trailers(lineByteCount: lineByteCount, byteCount: byteCount)
        default: .trailers(lineByteCount: lineByteCount + 1, byteCount: byteCount)
        }
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte) - 0x30
        case 0x41...0x46: Int(byte) - 0x37
        case 0x61...0x66: Int(byte) - 0x57
        default: nil
        }
    }
}
