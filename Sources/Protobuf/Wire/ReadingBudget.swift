/// The remaining work allowed for a message: deep nesting could otherwise cost far more than its
/// size suggests.
struct ReadingBudget {
    let depthMax: Int
    private var valueCount: Int
    private var stepCount: Int

    init(_ limits: ProtobufLimits) {
        depthMax = limits.depthMax
        valueCount = limits.valueCountMax
        stepCount = limits.stepCountMax
    }

    /// Charges one step for visiting a field.
    mutating func step(at offset: Int) throws(ProtobufError) {
        stepCount &-= 1
        if stepCount < 0 { throw ProtobufError(.tooMuch, at: offset) }
    }

    /// Charges for examining or copying bytes.
    mutating func look(byteCount: Int, at offset: Int) throws(ProtobufError) {
        stepCount &-= byteCount / 16
        if stepCount < 0 { throw ProtobufError(.tooMuch, at: offset) }
    }

    /// Charges for showing values.
    mutating func show(_ count: Int = 1, at offset: Int) throws(ProtobufError) {
        valueCount &-= count
        if valueCount < 0 { throw ProtobufError(.tooMuch, at: offset) }
    }
}
