/// One coded stream being decoded: the C library's state and nothing else.
///
/// Owned by one `ContentDecoder`; `deinit` frees the C state.
protocol CodingLayer: AnyObject {
    /// Decodes some of `input` into `output`. Neither is kept.
    func step(
        _ input: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> LayerStep

    /// Whether the input seen so far may end here.
    var isAtEnd: Bool { get }
}

/// What one step did. A step that neither consumed nor produced wants more input.
struct LayerStep {
    enum Outcome {
        case running
        case corrupt
        case windowTooLarge
    }

    var consumedByteCount: Int
    var producedByteCount: Int
    var outcome: Outcome

    static let corrupt = LayerStep(consumedByteCount: 0, producedByteCount: 0, outcome: .corrupt)
}
