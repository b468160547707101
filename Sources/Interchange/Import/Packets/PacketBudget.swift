/// The memory for what a connection in a packet capture keeps until its exchanges end.
enum PacketBudget {
    static let byteCountMax = 256 << 20
    /// What a head is counted as; most are smaller.
    static let headByteCount = 2 << 10
}
