extension Int64 {
    /// The sum, or the number nearest to it that there is: numbers of a file may be any.
    @inlinable
    public func addingClamped(_ other: Int64) -> Int64 {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? (other < 0 ? .min : .max) : sum
    }
}
