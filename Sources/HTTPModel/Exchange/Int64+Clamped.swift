extension Int64 {
    /// Returns the sum, clamped to the range of `Int64`: numbers from a file may have any value.
    @inlinable
    public func addingClamped(_ other: Int64) -> Int64 {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? (other < 0 ? .min : .max) : sum
    }
}
