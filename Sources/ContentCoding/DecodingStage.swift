/// One coding layer and its output buffer.
final class DecodingStage {
    /// After this many bytes, a layer must have decoded something. Heads and code tables of deflate
    /// and brotli are much shorter.
    private static let beginningByteCountMax = 4 << 10

    /// No stream without a signature begins with this many bytes of text.
    private static let textByteCountMin = 64

    /// sniffing ─(not text)─▶ beginning ─(output)─▶ decoding
    ///     └──────(text)──────────┴─(failure)─▶ identity
    private enum Phase {
        /// Nothing was decoded yet: these bytes are a text, and the coding has no signature.
        case sniffing([UInt8])
        /// Nothing has come out yet: these bytes went in, in case they are not coded at all.
        case beginning([UInt8])
        case decoding
        /// The bytes are not in this coding, and pass as they are.
        case identity
    }

    let coding: Coding
    var outputByteCount = 0

    private var phase: Phase
    private let layer: any CodingLayer
    /// Owned; freed in `deinit`. Only `step` writes it, only `withOutput` reads it.
    private let buffer: UnsafeMutableBufferPointer<UInt8>

    /// - Parameter isStrict: Whether bytes that do not begin like the coding are an error.
    /// - Throws: `.outOfMemory`.
    init(_ coding: Coding, isStrict: Bool) throws(ContentCodingError) {
        self.coding = coding
        phase = isStrict ? .decoding : coding.isUnsigned ? .sniffing([]) : .beginning([])
        layer = try DecodingStage.layer(coding)
        buffer = .allocate(capacity: 32 << 10)
        buffer.initialize(repeating: 0)
    }

    deinit { buffer.deallocate() }

    private static func layer(_ coding: Coding) throws(ContentCodingError) -> any CodingLayer {
        switch coding {
        case .gzip, .deflate: try InflateLayer(coding)
        case .brotli: try BrotliLayer()
        case .zstd: try ZstdLayer()
        case .awsChunked: AWSChunkedLayer()
        }
    }

    var bufferByteCount: Int { buffer.count }

    var isIdentity: Bool {
        if case .identity = phase { true } else { false }
    }

    var isComplete: Bool {
        switch phase {
        case .sniffing(let bytes): bytes.isEmpty
        case .beginning(let bytes): bytes.isEmpty || layer.isAtEnd
        case .decoding: layer.isAtEnd
        case .identity: true
        }
    }

    var hasUnusedInput: Bool { layer.hasUnusedInput }

    /// Decodes part of the input into the buffer.
    func step(_ input: Span<UInt8>) -> LayerStep {
        switch phase {
        case .sniffing(let buffered): sniff(buffered, input)
        case .beginning(let before): begin(before, input)
        case .decoding, .identity: run(input)
        }
    }

    private func sniff(_ buffered: [UInt8], _ input: Span<UInt8>) -> LayerStep {
        let offered = input.extracting(first: DecodingStage.textByteCountMin &- buffered.count)
        var seen = buffered
        offered.withUnsafeBufferPointer { seen.append(contentsOf: $0) }
        var step = LayerStep(
            consumedByteCount: offered.count, producedByteCount: 0, outcome: .running)
        if !Coding.isText(seen, isCut: true) {
            phase = .beginning([])
            step.consumedByteCount = 0
            step.outcome = .coded(buffered)
        } else if seen.count >= DecodingStage.textByteCountMin {
            phase = .identity
            step.outcome = .uncoded(seen)
        } else {
            phase = .sniffing(seen)
        }
        return step
    }

    private func begin(_ before: [UInt8], _ input: Span<UInt8>) -> LayerStep {
        let offered = input.extracting(first: DecodingStage.beginningByteCountMax &- before.count)
        var step = run(offered)
        guard step.producedByteCount == 0 else {
            phase = .decoding
            return step
        }
        var beginning = before
        let isFailed = if case .corrupt = step.outcome { true } else { false }
        let seen = isFailed ? offered : offered.extracting(first: step.consumedByteCount)
        seen.withUnsafeBufferPointer { beginning.append(contentsOf: $0) }
        guard isFailed else {
            let isLong = beginning.count >= DecodingStage.beginningByteCountMax
            phase = isLong ? .decoding : .beginning(beginning)
            return step
        }
        phase = .decoding
        step.consumedByteCount = offered.count
        step.producedByteCount = salvage(beginning)
        if step.producedByteCount == 0, !coding.isBegun(by: beginning, isFailed: true) {
            phase = .identity
            step.outcome = .uncoded(beginning)
        }
        return step
    }

    /// Ends the input; returns what to do with bytes that are kept back.
    func end() -> LayerStep.Outcome {
        switch phase {
        case .sniffing(let bytes):
            let isCoded = !Coding.isText(bytes, isCut: false) || isWholeStream(bytes)
            phase = isCoded ? .beginning([]) : .identity
            return isCoded ? .coded(bytes) : .uncoded(bytes)
        case .beginning(let bytes) where !coding.isBegun(by: bytes, isFailed: false):
            phase = .identity
            return .uncoded(bytes)
        case .beginning, .decoding, .identity: return .running
        }
    }

    private func run(_ input: Span<UInt8>) -> LayerStep {
        input.withUnsafeBufferPointer { layer.step($0, into: buffer) }
    }

    /// Decodes a beginning that failed once more, byte by byte, and returns how many bytes come out
    /// before the failure: brotli keeps them back if it fails before it asks for more input.
    private func salvage(_ beginning: [UInt8]) -> Int {
        guard let fresh = try? DecodingStage.layer(coding) else { return 0 }
        var count = 0
        for index in beginning.indices {
            let step = beginning[index...index].withUnsafeBufferPointer {
                fresh.step($0, into: .init(rebasing: buffer[count...]))
            }
            count += step.producedByteCount
            guard case .running = step.outcome, step.consumedByteCount == 1, count < buffer.count
            else { break }
        }
        return count
    }

    /// Whether bytes are one stream from the first to the last.
    private func isWholeStream(_ bytes: [UInt8]) -> Bool {
        guard let fresh = try? DecodingStage.layer(coding) else { return false }
        for index in bytes.indices {
            if fresh.isAtEnd { return false }
            var (isTaken, isFull) = (false, true)
            while !isTaken || isFull {
                let step = bytes[index..<(isTaken ? index : index + 1)].withUnsafeBufferPointer {
                    fresh.step($0, into: buffer)
                }
                guard case .running = step.outcome else { return false }
                isFull = step.producedByteCount == buffer.count
                if !isTaken, step.consumedByteCount == 0, !isFull { return false }
                isTaken = isTaken || step.consumedByteCount > 0
            }
        }
        return fresh.isAtEnd
    }

    /// Passes on the output of the last step: the first `byteCount` bytes of the buffer.
    func withOutput(
        _ byteCount: Int, _ body: (Span<UInt8>) throws(ContentCodingError) -> Void
    ) throws(ContentCodingError) {
        let produced = UnsafeBufferPointer(buffer).span
        try body(produced.extracting(0..<min(byteCount, produced.count)))
    }
}

/// The decoding state of one coded stream, in the C library.
///
/// Owned by one `ContentDecoder`; `deinit` frees the C state.
protocol CodingLayer: AnyObject {
    /// Decodes part of `input` into `output`. Neither is retained.
    func step(
        _ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> LayerStep

    /// Whether the input seen so far may end here.
    var isAtEnd: Bool { get }

    /// Whether the input had bytes that are not decoded: after the end of the stream, or in what
    /// the format has for other things, such as a file name.
    var hasUnusedInput: Bool { get }
}

/// The result of one step. A step that neither consumed nor produced bytes needs more input.
struct LayerStep {
    enum Outcome {
        case running
        case corrupt
        case windowTooLarge
        /// The bytes are not in this coding: these are all of them until now.
        case uncoded([UInt8])
        /// The bytes are in this coding: these were kept back, and come before the input.
        case coded([UInt8])
    }

    var consumedByteCount: Int
    var producedByteCount: Int
    var outcome: Outcome

    static let corrupt = LayerStep(consumedByteCount: 0, producedByteCount: 0, outcome: .corrupt)
}
