/// The decoded octets of a body, as far as they are known. Safe on any thread.
///
/// What is known only grows. Reading never waits for what is not known yet.
package protocol BodySource: AnyObject, Sendable {
    /// How much is known now.
    var extent: BodyExtent { get }

    /// At most `byteCount` octets from an offset on; fewer where fewer are known.
    func read(from offset: Int, byteCount: Int) -> [UInt8]
}

extension BodySource {
    /// A range of octets, as far as they are known.
    package func read(_ range: Range<Int>) -> [UInt8] {
        read(from: range.lowerBound, byteCount: range.count)
    }
}
