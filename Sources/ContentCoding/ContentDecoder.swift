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
    private let unknown: String?
    public private(set) var decodedByteCount = 0

    /// Creates a decoder for codings in the order they were applied; an empty list means identity.
    /// Bytes that are in another coding are an error.
    /// - Throws: `.tooManyLayers`, `.outOfMemory`.
    public convenience init(
        _ codings: [Coding], limits: DecodingLimits = DecodingLimits()
    ) throws(ContentCodingError) {
        try self.init(codings, unknown: nil, isStrict: true, limits: limits)
    }

    /// Creates a decoder for a body and its Content-Encoding value (field lines joined with
    /// commas). A layer that is not known, or that the bytes do not begin like, passes them on as
    /// they are: see `remark`.
    /// - Throws: `.tooManyLayers`, `.outOfMemory`.
    public convenience init(
        contentEncoding: String, limits: DecodingLimits = DecodingLimits()
    ) throws(ContentCodingError) {
        let (known, unknown) = Coding.listed(contentEncoding)
        try self.init(known, unknown: unknown, isStrict: false, limits: limits)
    }

    private init(
        _ codings: [Coding], unknown: String?, isStrict: Bool, limits: DecodingLimits
    ) throws(ContentCodingError) {
        guard codings.count <= limits.layerCountMax else {
            throw .tooManyLayers(count: codings.count)
        }
        self.limits = limits
        var stages: [DecodingStage] = []
        for coding in codings.reversed() {
            stages.append(try DecodingStage(coding, isStrict: isStrict))
        }
        self.stages = stages
        self.unknown = unknown
    }

    /// Why a layer has been left as it is, as far as is known; nil if none has.
    public var remark: CodingRemark? {
        stages.first(where: \.isIdentity).map { .absent($0.coding) } ?? unknown.map { .unknown($0) }
    }

    /// The codings that are removed, in the order they were applied.
    public var removed: [Coding] { stages.reversed().filter { !$0.isIdentity }.map(\.coding) }

    /// Whether the coded bytes contain what the decoded ones do not: bytes after the end of a
    /// stream, the file name of gzip, skippable frames of Zstandard, signatures of chunks.
    public var hasUnusedInput: Bool { stages.contains { !$0.isIdentity && $0.hasUnusedInput } }

    /// Decodes the next bytes of the body and appends the result to `output`.
    /// - Throws: `.corruptInput`, `.overLimit`, `.windowTooLarge`.
    public func decode(
        _ input: Span<UInt8>, into output: inout [UInt8]
    ) throws(ContentCodingError) {
        try decode(input) { (piece) throws(ContentCodingError) in
            piece.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        }
    }

    /// Decodes the next bytes of the body and passes on the result, in pieces of at most 32 KiB if
    /// there is a coding. An error of `take` becomes the decoder's failure.
    /// - Throws: `.corruptInput`, `.overLimit`, `.windowTooLarge`, and errors of `take`.
    public func decode(
        _ input: Span<UInt8>, _ take: (Span<UInt8>) throws(ContentCodingError) -> Void
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

    /// Processes the end of the body, and passes on what was kept back until it was clear whether
    /// the body is coded at all. An empty body is complete in every coding.
    /// - Throws: `.truncatedInput` if a coded stream has not ended, and errors of `take`.
    public func finish(
        _ take: (Span<UInt8>) throws(ContentCodingError) -> Void
    ) throws(ContentCodingError) {
        if let failure { throw failure }
        guard inputByteCount > 0 else { return }
        do throws(ContentCodingError) {
            for (index, stage) in stages.enumerated() {
                guard !stage.isComplete else { continue }
                switch stage.end() {
                case .uncoded(let bytes): try pass(bytes.span, toStage: index + 1, take)
                case .coded(let bytes): try pass(bytes.span, toStage: index, take)
                default: break
                }
                guard stage.isComplete else { throw .truncatedInput(stage.coding) }
            }
        } catch {
            failure = error
            throw error
        }
    }

    /// Processes the end of the body, and appends what was kept back to `output`.
    /// - Throws: `.truncatedInput`.
    public func finish(into output: inout [UInt8]) throws(ContentCodingError) {
        try finish { (piece) throws(ContentCodingError) in
            piece.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        }
    }

    /// Processes the end of a body whose codings are certain, so that nothing is kept back.
    /// - Throws: `.truncatedInput`.
    public func finish() throws(ContentCodingError) {
        try finish { (_) throws(ContentCodingError) in }
    }

    /// Decodes a whole body in one call and returns the part that could be decoded. A layer that is
    /// not known, or that the bytes do not begin like, is left as it is.
    public static func decode(
        _ bytes: Span<UInt8>, contentEncoding: String, limits: DecodingLimits = DecodingLimits()
    ) -> DecodedContent {
        var output: [UInt8] = []
        let decoder: ContentDecoder
        do throws(ContentCodingError) {
            decoder = try ContentDecoder(contentEncoding: contentEncoding, limits: limits)
        } catch {
            return DecodedContent(bytes: [], failure: error)
        }
        var failure: ContentCodingError?
        do throws(ContentCodingError) {
            try decoder.decode(bytes, into: &output)
            try decoder.finish(into: &output)
        } catch {
            failure = error
        }
        return DecodedContent(
            bytes: output, failure: failure, remark: decoder.remark, removed: decoder.removed,
            hasUnusedInput: decoder.hasUnusedInput)
    }

    /// Passes bytes through the stages from `index` on; there are few stages, so recursion is safe.
    private func pass(
        _ input: Span<UInt8>, toStage index: Int,
        _ take: (Span<UInt8>) throws(ContentCodingError) -> Void
    ) throws(ContentCodingError) {
        guard index < stages.count else {
            try lend(input, to: take)
            return
        }
        let stage = stages[index]
        guard !stage.isIdentity else { return try pass(input, toStage: index + 1, take) }
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
            case .uncoded(let beginning):
                try pass(beginning.span, toStage: index + 1, take)
                return try pass(input.extracting(offset...), toStage: index + 1, take)
            case .coded(let beginning):
                try pass(beginning.span, toStage: index, take)
                return try pass(input.extracting(offset...), toStage: index, take)
            case .corrupt: throw .corruptInput(stage.coding)
            case .windowTooLarge: throw .windowTooLarge(stage.coding)
            }
            let isBufferFull = step.producedByteCount == stage.bufferByteCount
            let isIdle = step.consumedByteCount == 0 && step.producedByteCount == 0
            if isIdle || (offset == input.count && !isBufferFull) { return }
        }
    }

    /// Limits intermediate layers, too: their output costs CPU time even if the last reduces it.
    private func countOutput(
        _ byteCount: Int, of stage: DecodingStage, isLast: Bool
    ) throws(ContentCodingError) {
        stage.outputByteCount += byteCount
        let allowance = limits.allowance(inputByteCount: inputByteCount)
        if !isLast, stage.outputByteCount > allowance {
            throw .overLimit(decodedByteCount: decodedByteCount)
        }
    }

    private func lend(
        _ bytes: Span<UInt8>, to take: (Span<UInt8>) throws(ContentCodingError) -> Void
    ) throws(ContentCodingError) {
        let room = limits.allowance(inputByteCount: inputByteCount) - decodedByteCount
        let kept = max(0, min(room, bytes.count))
        decodedByteCount += kept
        try take(bytes.extracting(0..<kept))
        if kept < bytes.count { throw .overLimit(decodedByteCount: decodedByteCount) }
    }
}

/// The result of decoding: the bytes, and the error that ended decoding, if any.
public struct DecodedContent: Sendable, Hashable {
    /// The decoded bytes, up to the point of failure.
    public let bytes: [UInt8]
    /// Why `bytes` is not everything; nil when it is.
    public let failure: ContentCodingError?
    /// Why a layer was left as it is; nil if none was.
    public let remark: CodingRemark?
    /// The codings that were removed, in the order they were applied.
    public let removed: [Coding]
    /// Whether the coded bytes contain what the decoded ones do not; see `ContentDecoder`.
    public let hasUnusedInput: Bool

    package init(
        bytes: [UInt8], failure: ContentCodingError? = nil, remark: CodingRemark? = nil,
        removed: [Coding] = [], hasUnusedInput: Bool = false
    ) {
        self.bytes = bytes
        self.failure = failure
        self.remark = remark
        self.removed = removed
        self.hasUnusedInput = hasUnusedInput
    }
}

/// Limits against decompression bombs: 405 bytes of brotli can expand to 256 MiB.
public struct DecodingLimits: Sendable, Hashable {
    public var decodedByteCountMax: Int
    /// The output bytes allowed per input byte, in addition to `slackByteCount`.
    public var ratioMax: Int
    /// The output bytes allowed regardless of the input's size.
    public var slackByteCount: Int
    public var layerCountMax: Int

    public init(
        decodedByteCountMax: Int = 64 << 20, ratioMax: Int = 1_000,
        slackByteCount: Int = 1 << 20, layerCountMax: Int = 3
    ) {
        self.decodedByteCountMax = decodedByteCountMax
        self.ratioMax = ratioMax
        self.slackByteCount = slackByteCount
        self.layerCountMax = layerCountMax
    }

    func allowance(inputByteCount: Int) -> Int {
        let scaled = inputByteCount.multipliedReportingOverflow(by: ratioMax)
        guard !scaled.overflow else { return decodedByteCountMax }
        let sum = scaled.partialValue.addingReportingOverflow(slackByteCount)
        return sum.overflow ? decodedByteCountMax : min(decodedByteCountMax, sum.partialValue)
    }
}
