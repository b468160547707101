/// What may still be looked at of a message: nesting within nesting would cost more than its bytes
/// let expect.
struct ReadingBudget {
    let depthMax: Int
    private var valueCount: Int
    private var stepCount: Int

    init(_ limits: ProtobufLimits) {
        depthMax = limits.depthMax
        valueCount = limits.valueCountMax
        stepCount = limits.stepCountMax
    }

    /// Steps over a field.
    mutating func step(at offset: Int) throws(ProtobufError) {
        stepCount &-= 1
        if stepCount < 0 { throw ProtobufError(.tooMuch, at: offset) }
    }

    /// Looks at bytes one by one, or copies them.
    mutating func look(byteCount: Int, at offset: Int) throws(ProtobufError) {
        stepCount &-= byteCount / 16
        if stepCount < 0 { throw ProtobufError(.tooMuch, at: offset) }
    }

    /// Shows a value.
    mutating func show(_ count: Int = 1, at offset: Int) throws(ProtobufError) {
        valueCount &-= count
        if valueCount < 0 { throw ProtobufError(.tooMuch, at: offset) }
    }
}
