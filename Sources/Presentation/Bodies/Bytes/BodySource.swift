/// The decoded bytes of a body, as far as they are available. Safe to use from any thread.
///
/// The available part only grows. Reading never waits for bytes that are not available yet.
package protocol BodySource: AnyObject, Sendable {
    /// How much is available now.
    var extent: BodyExtent { get }

    /// Returns at most `byteCount` bytes from an offset; fewer if fewer are available.
    func read(from offset: Int, byteCount: Int) -> [UInt8]
}

extension BodySource {
    /// Returns a range of bytes, as far as they are available.
    package func read(_ range: Range<Int>) -> [UInt8] {
        read(from: range.lowerBound, byteCount: range.count)
    }
}
