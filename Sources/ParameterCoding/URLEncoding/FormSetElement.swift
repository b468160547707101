/// An element of a set that has been written and awaits sorting.
struct FormSetElement {
    /// Its text before escapes; nil for a container.
    let text: [UInt8]?
    let pairs: [UInt8]

    /// Scalars by their text, then containers by their pairs.
    static func precedes(_ left: FormSetElement, _ right: FormSetElement) -> Bool {
        switch (left.text, right.text) {
        case (let left?, let right?): left.lexicographicallyPrecedes(right)
        case (nil, nil): left.pairs.lexicographicallyPrecedes(right.pairs)
        case (let left, _): left != nil
        }
    }
}
