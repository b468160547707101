import ProxydHTTPWire
import ProxydTestSupport
import Testing

/// h11 and nginx read the same bytes as we: what they refuse we refuse, and what they take is the
/// same message, but for what is listed with its reason.
@Suite(.enabled(if: PeerRun.isPossible, "needs nginx-light and python3-h11"))
struct PeerTests {
    /// A case in which we took more than a peer, or something else.
    private struct Finding {
        let peerCase: PeerCase
        let peer: PeerCase.Peer
        let theirs: Reading
        let isOtherMessage: Bool
        /// Whether we mended something, which the row then says.
        let isRepaired: Bool
        var difference: PeerDifference? { .explain(peerCase, by: peer, theirs) }
        var text: String {
            "\(peer) \(theirs.end) (\(theirs.reason)), having read \(theirs.messages): "
                + WireText.escaped(Latin1.bytes(peerCase.bytes))
        }
    }

    private func findings(where isWanted: (PeerCase) -> Bool) async throws -> [Finding] {
        let run = try await PeerRun.shared()
        return run.cases.filter(isWanted).flatMap { peerCase in
            let ours = OurReading.of(peerCase)
            return peerCase.peers.compactMap { peer -> Finding? in
                guard let theirs = run.reading(of: peerCase, by: peer) else {
                    Issue.record("\(peer) did not read case \(peerCase.id)")
                    return nil
                }
                return finding(peerCase, peer, ours: ours, theirs: theirs)
            }
        }
    }

    /// Only complete messages are compared: who waits for more has no opinion yet.
    private func finding(
        _ peerCase: PeerCase, _ peer: PeerCase.Peer, ours: Reading, theirs: Reading
    ) -> Finding? {
        let differs = zip(ours.messages, theirs.messages).contains { !$0.isSame(as: $1) }
        let hasMore = ours.messages.count > theirs.messages.count && theirs.end != .closed
        guard differs || hasMore else { return nil }
        let isOther = differs || theirs.end == .open
        return Finding(
            peerCase: peerCase, peer: peer, theirs: theirs, isOtherMessage: isOther,
            isRepaired: ours.repairs?.isEmpty == false)
    }

    @Test
    func `the proxy agrees with each of h11 and nginx on the validity of hundreds of messages`()
        async throws
    {
        let run = try await PeerRun.shared()
        let received = run.cases.filter(PeerCorpus.isReceived)
        #expect(received.count > 1_500)
        let taken = received.filter { isTaken(OurReading.of($0)) }
        let refused = received.filter { OurReading.of($0).end == .refused }
        for peer in PeerCase.Peer.allCases {
            let alsoTaken = taken.filter { run.reading(of: $0, by: peer).map(isTaken) == true }
            let alsoRefused = refused.filter { run.reading(of: $0, by: peer)?.end == .refused }
            #expect(alsoTaken.count > 200, "\(peer)")
            #expect(alsoRefused.count > 400, "\(peer)")
        }
    }

    private func isTaken(_ reading: Reading) -> Bool {
        reading.end != .refused && !reading.messages.isEmpty
    }

    @Test
    func `a message that h11 or nginx rejects is accepted only if it is listed or repaired`()
        async throws
    {
        for finding in try await findings(where: PeerCorpus.isReceived)
        where !finding.isOtherMessage && finding.difference == nil && !finding.isRepaired {
            Issue.record("\(finding.text)")
        }
    }

    @Test
    func `except for listed differences, the proxy reads messages as h11 and nginx read them`()
        async throws
    {
        for finding in try await findings(where: PeerCorpus.isReceived)
        where finding.isOtherMessage && finding.difference == nil {
            Issue.record("\(finding.text)")
        }
    }

    @Test
    func `a message both h11 and nginx reject is accepted only if repaired or listed as required`()
        async throws
    {
        let all = try await findings(where: PeerCorpus.isReceived)
        for (_, found) in Dictionary(grouping: all, by: \.peerCase.id)
        where found.count == PeerCase.Peer.allCases.count {
            let isAskedFor = found.allSatisfy {
                $0.difference?.isRequired == true || $0.isRepaired
            }
            #expect(isAskedFor, "\(found.map(\.text))")
        }
    }

    @Test func `every listed difference from h11 and nginx occurs in the corpus`() async throws {
        let met = try await findings { _ in true }.compactMap { $0.difference?.testDescription }
        for difference in PeerDifference.all {
            #expect(met.contains(difference.testDescription), "\(difference.testDescription)")
        }
    }

    @Test func `h11 reads forwarded messages as the proxy does, except for listed differences`()
        async throws
    {
        let run = try await PeerRun.shared()
        let sent = run.cases.filter { !PeerCorpus.isReceived($0) }
        #expect(sent.count > 100)
        for finding in try await findings(where: { !PeerCorpus.isReceived($0) }) {
            let isCoding = finding.theirs.reason == "Only Transfer-Encoding: chunked is supported"
            let isTarget = finding.theirs.reason.hasPrefix("illegal request line")
            #expect((isCoding || isTarget) && finding.difference != nil, "\(finding.text)")
        }
    }
}
