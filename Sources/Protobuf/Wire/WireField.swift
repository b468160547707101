/// A field in the wire format.
struct WireField: Sendable, Hashable {
    /// The field number, 1…2²⁹-1.
    let number: Int32
    /// The undecoded value.
    let value: WireValue
    /// The position of its tag.
    let offset: Int
}
