/// Where the stored bytes of a body come from, with content codings applied.
package protocol BodyOrigin {
    /// Passes the bytes on in chunks, from the start, until the closure returns false.
    func forEachChunk(_ body: ([UInt8]) -> Bool) throws
}
