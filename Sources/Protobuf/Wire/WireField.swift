/// A field as the wire has it.
struct WireField: Sendable, Hashable {
    /// Its number, 1…2²⁹-1.
    let number: Int32
    /// Its value.
    let value: WireValue
    /// Where its tag starts.
    let offset: Int
}
