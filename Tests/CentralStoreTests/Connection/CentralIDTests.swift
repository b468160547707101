import ProxydCentralStore
import Testing

/// One number for the number of a store and that of an exchange in it.
@Suite struct CentralIDTests {
    @Test(
        arguments: [
            (1, 0, 17_179_869_184), (1, 1, 17_179_869_185), (2, 4_711, 34_359_743_079),
            (0, 7, 7), (1, 17_179_869_183, 34_359_738_367),
            (536_870_911, 17_179_869_183, .max),
        ] as [(Int64, Int64, Int64)])
    func `a central exchange ID has the shipper's number above the lowest 34 bits`(
        shipper: Int64, number: Int64, id: Int64
    ) {
        #expect(CentralID.id(shipper: shipper, number: number) == id)
        #expect(CentralID.shipper(of: id) == shipper)
        #expect(CentralID.number(of: id) == number)
    }

    @Test func `an out-of-range exchange number never changes the shipper in a central ID`() {
        for number in [Int64.max, 17_179_869_184, 1_099_511_627_781, -1, .min] {
            let id = CentralID.id(shipper: 3, number: number)
            #expect(CentralID.shipper(of: id) == 3, "\(number)")
            #expect(id > 0, "\(number)")
        }
    }

    /// The table `shipper` has the same bounds.
    @Test func `valid shipper numbers are 1 to 536,870,911`() {
        #expect(CentralID.shipperNumbers == 1..<536_870_912)
        #expect(CentralID.numberMask == 17_179_869_183)
    }
}
