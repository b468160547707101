import ProxydTestSupport

extension WireVector {
    /// What our decoder says of the bytes cut into pieces.
    func transcript(_ pieces: [ArraySlice<UInt8>]) -> [String] {
        isResponse
            ? Transcript.ofResponses(pieces, to: methods, endsThere: endsThere)
            : Transcript.ofRequests(pieces, endsThere: endsThere)
    }
}
