"""A tensor's shape, strides and the axis that is divided over the ranks. No data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import TypeAlias

from analyzer.interpreter.limits import ShapeError

Size: TypeAlias = int | None
"""A dimension; `None` where it is not known."""

Shape: TypeAlias = tuple[Size, ...]


@dataclass(frozen=True, slots=True)
class Tensor:
    """`shape` is `None` where even the rank is unknown; `strides` where the layout is."""

    shape: Shape | None
    strides: tuple[int, ...] | None = None
    dtype: str = "float"
    sharded: int | None = None
    """The axis of which each rank holds a part."""
    parameter: bool = False
    origin: str = ""
    """For a projection's output that a rank holds a plain slice of: the module it came from."""
    value: object = None
    """The number, of a scalar whose value is known."""

    @property
    def rank(self) -> int | None:
        """The number of dimensions."""
        return None if self.shape is None else len(self.shape)

    @property
    def known(self) -> bool:
        """Whether every dimension is."""
        return self.shape is not None and None not in self.shape

    def __repr__(self) -> str:
        return f"Tensor{list(self.shape) if self.shape is not None else '?'}"


def contiguous_strides(shape: Shape | None) -> tuple[int, ...] | None:
    """Row-major strides, `None` where a dimension is unknown."""
    if shape is None or None in shape:
        return None
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size or 0, 1)
    return tuple(reversed(strides))


def fresh(shape: Shape | None, dtype: str = "float", sharded: int | None = None, origin: str = "") -> Tensor:
    """A new contiguous tensor."""
    return Tensor(shape, contiguous_strides(shape), dtype, sharded, origin=origin)


def elements(shape: Shape | None) -> int | None:
    """How many values, `None` where a dimension is unknown."""
    if shape is None or None in shape:
        return None
    return prod(size or 0 for size in shape)


def is_contiguous(tensor: Tensor) -> bool:
    """Whether the layout is row-major, dimensions of one aside; unknown layouts count as such."""
    if tensor.strides is None or tensor.shape is None:
        return True
    wanted = contiguous_strides(tensor.shape) or ()
    return all(
        size == 1 or have == want for size, have, want in zip(tensor.shape, tensor.strides, wanted, strict=False)
    )


def axis(index: int, rank: int) -> int:
    """`index` counted from the front. Raises `ShapeError` outside of `rank`."""
    low, high = -max(rank, 1), max(rank, 1) - 1
    if not low <= index <= high:
        raise ShapeError(
            f"Dimension out of range (expected to be in range of [{low}, {high}], but got {index})"
        )
    return index + rank if index < 0 else index


def written(shape: Shape) -> str:
    """A shape as torch prints it."""
    return "[" + ", ".join("?" if size is None else str(size) for size in shape) + "]"


def broadcast(shapes: list[Shape]) -> Shape:
    """The common shape. Raises `ShapeError` where two sizes differ and neither is one."""
    rank = max((len(shape) for shape in shapes), default=0)
    result: list[Size] = []
    for position in range(rank):
        size: Size = 1
        for shape in shapes:
            index = position - (rank - len(shape))
            other = shape[index] if index >= 0 else 1
            if other == 1 or other == size:
                continue
            if size == 1:
                size = other
            elif size is None:
                size = other
            elif other is not None:
                raise ShapeError(
                    f"The size of tensor a ({size}) must match the size of tensor b ({other}) "
                    f"at non-singleton dimension {position}"
                )
        result.append(size)
    return tuple(result)


def elementwise_strides(tensors: list[Tensor], shape: Shape) -> tuple[int, ...] | None:
    """The layout of an elementwise result: torch keeps the order of its operands' dimensions."""
    if None in shape or any(tensor.strides is None for tensor in tensors):
        return None
    if all(is_contiguous(tensor) for tensor in tensors):
        return contiguous_strides(shape)
    rank = len(shape)
    operands = []
    for tensor in tensors:
        own = tensor.shape or ()
        strides = tensor.strides or ()
        pad = rank - len(own)
        operands.append(
            tuple(
                0 if i < pad or (own[i - pad] == 1 and shape[i] != 1) else strides[i - pad] for i in range(rank)
            )
        )
    order = list(range(rank - 1, -1, -1))
    for i in range(1, rank):
        low = i
        for j in range(i - 1, -1, -1):
            decision = _swap(operands, shape, order[j], order[low])
            if decision > 0:
                order[j], order[low] = order[low], order[j]
                low = j
            elif decision < 0:
                break
    strides_out = [0] * rank
    step = 1
    for dimension in order:
        strides_out[dimension] = step
        step *= max(shape[dimension] or 0, 1)
    return tuple(strides_out)


def _swap(operands: list[tuple[int, ...]], shape: Shape, first: int, second: int) -> int:
    for strides in operands:
        a, b = strides[first], strides[second]
        if a == 0 or b == 0:
            continue
        if a < b:
            return -1
        if a > b:
            return 1
        if (shape[first] or 0) > (shape[second] or 0):
            return 1
    return 0


def elementwise(tensors: list[Tensor], dtype: str | None = None) -> Tensor:
    """The result of an operation on corresponding elements. Raises `ShapeError`."""
    if any(tensor.shape is None for tensor in tensors):
        return Tensor(None, dtype=dtype or tensors[0].dtype)
    shape = broadcast([tensor.shape or () for tensor in tensors])
    sharded = None
    origin = ""
    for tensor in tensors:
        if tensor.sharded is not None:
            sharded = tensor.sharded + len(shape) - (tensor.rank or 0)
            origin = origin or tensor.origin
    if dtype is None:
        kinds = {tensor.dtype for tensor in tensors}
        dtype = "float" if "float" in kinds else "int" if "int" in kinds else tensors[0].dtype
    return Tensor(shape, elementwise_strides(tensors, shape), dtype, sharded, origin=origin)


def resolve_sizes(shape: Shape, total: int | None) -> Shape:
    """`shape` with its `-1` worked out. Raises `ShapeError` in torch's words."""
    if total is None or None in shape:
        return tuple(None if size == -1 else size for size in shape)
    known = prod(size or 0 for size in shape if size != -1)
    if -1 in shape:
        if shape.count(-1) > 1:
            raise ShapeError("only one dimension can be inferred")
        if known == 0 or total % known:
            raise ShapeError(f"shape '{written(shape)}' is invalid for input of size {total}")
        return tuple(total // known if size == -1 else size for size in shape)
    if known != total:
        raise ShapeError(f"shape '{written(shape)}' is invalid for input of size {total}")
    return shape


def view(tensor: Tensor, sizes: Shape) -> Tensor:
    """`Tensor.view`. Raises `ShapeError` where sizes or strides do not allow it."""
    shape = resolve_sizes(sizes, elements(tensor.shape))
    strides = contiguous_strides(shape)
    if tensor.strides is not None and strides is not None and tensor.shape is not None:
        new = _view_strides(tensor.shape, tensor.strides, shape)
        if new is None:
            raise ShapeError(
                "view size is not compatible with input tensor's size and stride (at least one dimension "
                "spans across two contiguous subspaces). Use .reshape(...) instead."
            )
        strides = new
    elif tensor.strides is None:
        strides = None
    return Tensor(shape, strides, tensor.dtype, _follow(tensor, shape), origin=tensor.origin)


def reshape(tensor: Tensor, sizes: Shape) -> Tensor:
    """`Tensor.reshape`: a view where that is possible, else a copy. Raises `ShapeError`."""
    shape = resolve_sizes(sizes, elements(tensor.shape))
    strides = contiguous_strides(shape)
    if tensor.strides is not None and strides is not None and tensor.shape is not None:
        strides = _view_strides(tensor.shape, tensor.strides, shape) or strides
    return Tensor(shape, strides, tensor.dtype, _follow(tensor, shape), origin=tensor.origin)


def _view_strides(old: Shape, strides: tuple[int, ...], new: Shape) -> tuple[int, ...] | None:
    """The strides of the view, `None` where it would need a copy (the rule of `at::detail::computeStride`)."""
    if not old or elements(old) == 0:
        return contiguous_strides(new)
    result = [0] * len(new)
    position = len(new) - 1
    base = strides[-1]
    numel = view_numel = 1
    for dimension in range(len(old) - 1, -1, -1):
        numel *= old[dimension] or 0
        if dimension == 0 or (
            old[dimension - 1] != 1 and strides[dimension - 1] != numel * base
        ):
            while position >= 0 and (view_numel < numel or new[position] == 1):
                result[position] = view_numel * base
                view_numel *= new[position] or 0
                position -= 1
            if view_numel != numel:
                return None
            if dimension > 0:
                base = strides[dimension - 1]
                numel = view_numel = 1
    return tuple(result) if position == -1 else None


def _follow(tensor: Tensor, shape: Shape) -> int | None:
    """Where the divided axis is after a reshape: the first new axis of the group that it is part of."""
    if tensor.sharded is None or tensor.shape is None or None in tensor.shape or None in shape:
        return None
    before = prod(size or 0 for size in tensor.shape[: tensor.sharded])
    running = 1
    for index, size in enumerate(shape):
        if running == before and size != 1:
            return index
        running *= size or 0
        if running > before:
            return index
    return len(shape) - 1 if shape else None


def permute(tensor: Tensor, order: list[int]) -> Tensor:
    """The dimensions in another order. Raises `ShapeError` for one that is not there."""
    if tensor.shape is None:
        return tensor
    rank = len(tensor.shape)
    if len(order) != rank:
        raise ShapeError(
            f"permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
            f"desired ordering of dimensions i.e. input.dim() = {rank} is not equal to len(dims) = {len(order)}"
        )
    order = [axis(index, rank) for index in order]
    return replace(
        tensor,
        shape=tuple(tensor.shape[i] for i in order),
        strides=None if tensor.strides is None else tuple(tensor.strides[i] for i in order),
        sharded=None if tensor.sharded is None else order.index(tensor.sharded),
        parameter=False,
    )


def narrow(tensor: Tensor, dimension: int, length: Size) -> Tensor:
    """A slice of `length` along `dimension`, sharing the layout."""
    shape = list(tensor.shape or ())
    shape[dimension] = length
    return replace(tensor, shape=tuple(shape), parameter=False, strides=tensor.strides if length is not None else None)


def drop(tensor: Tensor, dimension: int) -> Tensor:
    """`tensor` without `dimension`."""
    shape = tensor.shape or ()
    sharded = tensor.sharded
    if sharded is not None:
        sharded = None if sharded == dimension else sharded - (sharded > dimension)
    return replace(
        tensor,
        shape=shape[:dimension] + shape[dimension + 1 :],
        strides=None if tensor.strides is None else tensor.strides[:dimension] + tensor.strides[dimension + 1 :],
        sharded=sharded,
        parameter=False,
    )


def insert(tensor: Tensor, dimension: int) -> Tensor:
    """`tensor` with a dimension of one before `dimension`."""
    shape = tensor.shape or ()
    strides = tensor.strides
    if strides is not None:
        step = 1 if dimension >= len(shape) else (shape[dimension] or 1) * strides[dimension]
        strides = (*strides[:dimension], step, *strides[dimension:])
    sharded = tensor.sharded
    if sharded is not None and sharded >= dimension:
        sharded += 1
    return replace(
        tensor, shape=(*shape[:dimension], 1, *shape[dimension:]), strides=strides, sharded=sharded, parameter=False
    )
