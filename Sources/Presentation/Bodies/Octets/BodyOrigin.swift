/// Where the kept octets of a body come from, content codings still on them.
package protocol BodyOrigin {
    /// Hands over the octets from the first on, piece by piece, until the body says false.
    func forEachChunk(_ body: ([UInt8]) -> Bool) throws
}
