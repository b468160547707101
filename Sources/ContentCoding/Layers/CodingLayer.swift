/// The decoding state of one coded stream, held by the C library.
///
/// Owned by one `ContentDecoder`; `deinit` frees the C state.
protocol CodingLayer: AnyObject {
    /// Decodes part of `input` into `output`. Neither is retained.
    func step(
        _ input: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutableBufferPointer<UInt8>
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
        /// The bytes are in this coding: these were held back, and come before the input.
        case coded([UInt8])
    }

    var consumedByteCount: Int
    var producedByteCount: Int
    var outcome: Outcome

    static let corrupt = LayerStep(consumedByteCount: 0, producedByteCount: 0, outcome: .corrupt)
}
