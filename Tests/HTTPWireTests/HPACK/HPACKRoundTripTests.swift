import ProxydHTTPModel
import ProxydTestSupport
import Testing

@testable import ProxydHTTPWire

/// What is written is read as what it was, with tables of any size, and damage never traps.
@Suite struct HPACKRoundTripTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `random field lists survive an HPACK round trip with changing table sizes`(seed: UInt64)
        throws
    {
        var heads = RandomHeads(seed: seed)
        for _ in 0..<20 {
            var encoder = HPACKEncoder()
            var decoder = HPACKDecoder(tableByteCountMax: 4_096)
            for _ in 0..<50 {
                while heads.random.below(8) == 0 {
                    let size = heads.size()
                    encoder.setPeerTableByteCountMax(size)
                    decoder.setTableByteCountMax(size)
                }
                let list = heads.list()
                let decoded = try decoder.list(of: encoder.block(of: list))
                #expect(decoded.map(\.name) == list.map(\.name))
                #expect(decoded.map(\.value) == list.map(\.value))
                for (ours, sent) in zip(decoded, list) where sent.coding.isNeverIndexed {
                    #expect(ours.coding.isNeverIndexed)
                }
                #expect(encoder.tableByteCount == decoder.tableByteCount)
            }
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `damaged HPACK blocks never exceed the decoder's limits`(seed: UInt64) {
        var heads = RandomHeads(seed: seed &* 77)
        var encoder = HPACKEncoder()
        var decoder = HPACKDecoder(tableByteCountMax: 4_096)
        for _ in 0..<500 {
            let block = Damage.apply(to: encoder.block(of: heads.list()), using: &heads.random)
            var fields = FieldBlock(limits: .init(listByteCountMax: 2_000, lineCountMax: 10))
            try? decoder.decode(block.span, into: &fields)
            #expect(fields.list.count <= 10 && fields.bytes.count <= 2_000)
            #expect(decoder.tableByteCount <= 4_096 && decoder.allocatedByteCount < 10_000)
        }
    }
}
