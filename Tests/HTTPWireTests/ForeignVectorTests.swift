import ProxydHTTPModel
import ProxydHTTPWire
import Testing

/// The shared collection of messages with another careful parser's answers: ours must be the same,
/// but for the differences that `ForeignDifferences` lists with their reasons.
@Suite(.enabled(if: !ForeignVector.all.isEmpty, "the shared vectors are not here"))
struct ForeignVectorTests {
    @Test(arguments: ForeignVector.all.filter { !$0.isLenient })
    func `shared HTTP vectors are parsed as by the reference parser, except for listed differences`(
        _ vector: ForeignVector
    ) {
        let ours = transcript(of: vector, [vector.bytes[...]])
        let isRefused = ours.contains { $0.hasPrefix("error") }
        let isSame =
            isRefused == vector.isRefused
            && (isRefused || ForeignLog.reduced(ours) == vector.transcript)
        let difference = ForeignDifferences.strict[vector.id]
        #expect(isSame == (difference == nil), "\(ours)")
        if let difference { #expect(isRefused == difference.weRefuse, "\(difference.reason)") }
    }

    @Test(arguments: ForeignVector.all.filter { $0.isLenient })
    func `messages that only a lenient parser accepts are rejected, except for listed ones`(
        _ vector: ForeignVector
    ) {
        let ours = transcript(of: vector, [vector.bytes[...]])
        let isRefused = ours.contains { $0.hasPrefix("error") }
        #expect(isRefused == !ForeignDifferences.taken.contains(vector.id), "\(ours)")
    }

    @Test(arguments: ForeignVector.all)
    func `a shared HTTP vector is parsed the same however its bytes are split`(
        _ vector: ForeignVector
    ) {
        let whole = transcript(of: vector, [vector.bytes[...]])
        #expect(transcript(of: vector, Cuts.drip(vector.bytes)) == whole)
        #expect(transcript(of: vector, Cuts.pieces(vector.bytes, of: 7)) == whole)
    }

    private func transcript(
        of vector: ForeignVector,
        _ pieces: [ArraySlice<UInt8>]
    ) -> [String] {
        let methods = [HTTPMethod](repeating: .get, count: 8)
        return vector.isResponse
            ? Transcript.ofResponses(pieces, to: methods) : Transcript.ofRequests(pieces)
    }
}
