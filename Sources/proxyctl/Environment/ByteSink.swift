/// Where a command's octets go: a descriptor, or memory in tests.
protocol ByteSink: AnyObject, Sendable {
    /// Takes octets; they may wait until `flush()`.
    func write(_ octets: [UInt8])
    /// Hands over what waits. An error is kept and told by `failure`.
    func flush()
    /// The error number of the first write that failed; nil where none did.
    var failure: Int32? { get }
}
