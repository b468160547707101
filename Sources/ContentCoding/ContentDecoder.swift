/// Undoes the content codings of one body as it streams by, within bounds.
///
/// Not thread-safe; one decoder belongs to one body. After a failure every further call throws
/// the same error, and what was decoded before stays in the caller's buffer.
public final class ContentDecoder {
    private let limits: DecodingLimits
    /// The outermost coding, the last one applied, comes first.
    private let stages: [DecodingStage]
    private var inputByteCount = 0
    private var failure: ContentCodingError?
    /// Octets decoded so far.
    public private(set) var decodedByteCount = 0

    /// A decoder for codings in the order they were applied; none means identity.
    /// - Throws: `.tooManyLayers`, `.outOfMemory`.
    public init(
        _ codings: [Coding],
        limits: DecodingLimits = DecodingLimits()
    ) throws(ContentCodingError) {
        guard codings.count <= limits.layerCountMax else {
            throw .tooManyLayers(count: codings.count)
        }
        self.limits = limits
        var stages: [DecodingStage] = []
        for coding in codings.reversed() { stages.append(try DecodingStage(coding)) }
        self.stages = stages
    }

    /// A decoder for the value of Content-Encoding (field lines joined with commas).
    /// - Throws: `.unsupportedCoding`, `.tooManyLayers`, `.outOfMemory`.
    public convenience init(
        contentEncoding: String,
        limits: DecodingLimits = DecodingLimits()
    ) throws(ContentCodingError) {
        try self.init(Coding.list(contentEncoding), limits: limits)
    }

    /// Decodes the next octets of the body and appends what they give to `output`.
    /// - Throws: `.corruptInput`, `.overLimit`, `.windowTooLarge`.
    public func decode(
        _ input: Span<UInt8>,
        into output: inout [UInt8]
    ) throws(ContentCodingError) {
        try decode(input) { (piece) throws(ContentCodingError) in
            piece.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        }
    }

    /// Decodes the next bytes of the body and lends what they give, in pieces of 32 KiB at most
    /// where there is a coding. What `take` throws is the decoder's failure from then on.
    /// - Throws: `.corruptInput`, `.overLimit`, `.windowTooLarge`, and what `take` throws.
    public func decode(
        _ input: Span<UInt8>,
        _ take: (Span<UInt8>) throws(ContentCodingError) -> Void
    ) throws(ContentCodingError) {
        if let failure { throw failure }
        inputByteCount += input.count
        do {
            try pass(input, toStage: 0, take)
        } catch {
            failure = error
            throw error
        }
    }

    /// Says that the body has ended. A body of no octets at all is complete in every coding.
    /// - Throws: `.truncatedInput` where a coded stream has not ended.
    public func finish() throws(ContentCodingError) {
        if let failure { throw failure }
        guard inputByteCount > 0 else { return }
        for stage in stages where !stage.isAtEnd {
            failure = .truncatedInput(stage.coding)
            throw .truncatedInput(stage.coding)
        }
    }

    /// Decodes a whole body in one call and keeps what could be decoded.
    public static func decode(
        _ octets: Span<UInt8>,
        contentEncoding: String,
        limits: DecodingLimits = DecodingLimits()
    ) -> DecodedContent {
        var output: [UInt8] = []
        do throws(ContentCodingError) {
            let decoder = try ContentDecoder(contentEncoding: contentEncoding, limits: limits)
            try decoder.decode(octets, into: &output)
            try decoder.finish()
            return DecodedContent(octets: output, failure: nil)
        } catch {
            return DecodedContent(octets: output, failure: error)
        }
    }

    /// Runs octets through the stages from `index` on; stages are few, so this may recurse.
    private func pass(
        _ input: Span<UInt8>,
        toStage index: Int,
        _ take: (Span<UInt8>) throws(ContentCodingError) -> Void
    ) throws(ContentCodingError) {
        guard index < stages.count else {
            try lend(input, to: take)
            return
        }
        let stage = stages[index]
        var offset = 0
        while true {
            let step = stage.step(input.extracting(offset..<input.count))
            offset += step.consumedByteCount
            if step.producedByteCount > 0 {
                let isLast = index == stages.count - 1
                try countOutput(step.producedByteCount, of: stage, isLast: isLast)
                try stage.withOutput(step.producedByteCount) {
                    (produced) throws(ContentCodingError) in
                    try pass(produced, toStage: index + 1, take)
                }
            }
            switch step.outcome {
            case .running: break
            case .corrupt: throw .corruptInput(stage.coding)
            case .windowTooLarge: throw .windowTooLarge(stage.coding)
            }
            let isBufferFull = step.producedByteCount == stage.bufferByteCount
            let isIdle = step.consumedByteCount == 0 && step.producedByteCount == 0
            if isIdle || (offset == input.count && !isBufferFull) { return }
        }
    }

    /// Bounds the layers in between, too: their output costs processor time even when the last
    /// layer makes little of it.
    private func countOutput(
        _ byteCount: Int,
        of stage: DecodingStage,
        isLast: Bool
    ) throws(ContentCodingError) {
        stage.outputByteCount += byteCount
        let allowance = limits.allowance(inputByteCount: inputByteCount)
        if !isLast, stage.outputByteCount > allowance {
            throw .overLimit(decodedByteCount: decodedByteCount)
        }
    }

    private func lend(
        _ octets: Span<UInt8>,
        to take: (Span<UInt8>) throws(ContentCodingError) -> Void
    ) throws(ContentCodingError) {
        let room = limits.allowance(inputByteCount: inputByteCount) - decodedByteCount
        let kept = max(0, min(room, octets.count))
        decodedByteCount += kept
        try take(octets.extracting(0..<kept))
        if kept < octets.count { throw .overLimit(decodedByteCount: decodedByteCount) }
    }
}
