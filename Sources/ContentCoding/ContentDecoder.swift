/// Decodes the content codings of one streamed body, within limits.
///
/// Not thread-safe; each decoder belongs to one body. After a failure every further call throws the
/// same error, and the output so far stays in the caller's buffer.
public final class ContentDecoder {
    private let limits: DecodingLimits
    /// The outermost coding, which was applied last, comes first.
    private let stages: [DecodingStage]
    private var inputByteCount = 0
    private var failure: ContentCodingError?
    /// The number of bytes decoded so far.
    public private(set) var decodedByteCount = 0

    /// Creates a decoder for codings in the order they were applied; an empty list means identity.
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

    /// Creates a decoder for a Content-Encoding value (field lines joined with commas).
    /// - Throws: `.unsupportedCoding`, `.tooManyLayers`, `.outOfMemory`.
    public convenience init(
        contentEncoding: String,
        limits: DecodingLimits = DecodingLimits()
    ) throws(ContentCodingError) {
        try self.init(Coding.list(contentEncoding), limits: limits)
    }

    /// Decodes the next bytes of the body and appends the result to `output`.
    /// - Throws: `.corruptInput`, `.overLimit`, `.windowTooLarge`.
    public func decode(
        _ input: Span<UInt8>,
        into output: inout [UInt8]
    ) throws(ContentCodingError) {
        try decode(input) { (piece) throws(ContentCodingError) in
            piece.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        }
    }

    /// Decodes the next bytes of the body and passes on the result, in pieces of at most 32 KiB if
    /// there is a coding. An error of `take` becomes the decoder's failure.
    /// - Throws: `.corruptInput`, `.overLimit`, `.windowTooLarge`, and errors of `take`.
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

    /// Processes the end of the body. An empty body is complete in every coding.
    /// - Throws: `.truncatedInput` if a coded stream has not ended.
    public func finish() throws(ContentCodingError) {
        if let failure { throw failure }
        guard inputByteCount > 0 else { return }
        for stage in stages where !stage.isAtEnd {
            failure = .truncatedInput(stage.coding)
            throw .truncatedInput(stage.coding)
        }
    }

    /// Decodes a whole body in one call and returns the part that could be decoded.
    public static func decode(
        _ bytes: Span<UInt8>,
        contentEncoding: String,
        limits: DecodingLimits = DecodingLimits()
    ) -> DecodedContent {
        var output: [UInt8] = []
        do throws(ContentCodingError) {
            let decoder = try ContentDecoder(contentEncoding: contentEncoding, limits: limits)
            try decoder.decode(bytes, into: &output)
            try decoder.finish()
            return DecodedContent(bytes: output, failure: nil)
        } catch {
            return DecodedContent(bytes: output, failure: error)
        }
    }

    /// Passes bytes through the stages from `index` on; there are few stages, so recursion is safe.
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

    /// Limits intermediate layers as well: their output costs CPU time even if the last layer
    /// reduces it.
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
        _ bytes: Span<UInt8>,
        to take: (Span<UInt8>) throws(ContentCodingError) -> Void
    ) throws(ContentCodingError) {
        let room = limits.allowance(inputByteCount: inputByteCount) - decodedByteCount
        let kept = max(0, min(room, bytes.count))
        decodedByteCount += kept
        try take(bytes.extracting(0..<kept))
        if kept < bytes.count { throw .overLimit(decodedByteCount: decodedByteCount) }
    }
}
