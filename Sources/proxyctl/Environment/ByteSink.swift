/// Where a command's output goes: a descriptor, or memory in tests.
protocol ByteSink: AnyObject, Sendable {
    /// Writes bytes, which may be buffered until `flush()`.
    func write(_ bytes: [UInt8])
    /// Writes buffered bytes. An error is stored in `failure`.
    func flush()
    /// The errno of the first failed write, or nil if none failed.
    var failure: Int32? { get }
}
