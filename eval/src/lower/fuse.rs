//! §19.3 Fusion of common instruction sequences into single instructions.
//!
//! The loops of most programs consist of variables, numbers and operators. After fusion, one
//! iteration of a small loop needs less than half of the instructions.

use crate::code::{Code, Op, Operand, UnaryOp};

/// Fuses all possible sequences, and updates the targets of jumps. A jump target is never fused
/// with the instruction before it.
pub(super) fn fuse(code: &mut Code) {
    let is_target = targets(code);
    let mut fused = Fused { ops: Vec::with_capacity(code.ops.len()), places: Vec::new(), barrier: 0 };
    let mut moved = Vec::with_capacity(code.ops.len() + 1);
    for (at, (&op, &place)) in code.ops.iter().zip(&code.places).enumerate() {
        if is_target[at] {
            fused.barrier = fused.ops.len();
        }
        moved.push(fused.len());
        fused.push(op, place);
    }
    moved.push(fused.len());
    (code.ops, code.places) = (fused.ops, fused.places);
    lead(code, |target| moved[target as usize]);
}

/// The targets of all jumps.
fn targets(code: &mut Code) -> Vec<bool> {
    let mut found = vec![false; code.ops.len() + 1];
    lead(code, |target| {
        found[target as usize] = true;
        target
    });
    found
}

/// Changes all targets of jumps.
fn lead(code: &mut Code, mut to: impl FnMut(u32) -> u32) {
    for op in &mut code.ops {
        match op {
            Op::Jump(target)
            | Op::JumpUnless(target)
            | Op::And(target)
            | Op::Or(target)
            | Op::EndTry(target)
            | Op::Branch { target, .. } => *target = to(*target),
            _ => {}
        }
    }
    code.catches.iter_mut().for_each(|(_, target)| *target = to(*target));
    code.leaves.iter_mut().for_each(|leave| leave.target = to(leave.target));
    for region in &mut code.regions {
        region.catch = region.catch.map(&mut to);
        region.finally = region.finally.map(&mut to);
    }
}

struct Fused {
    ops: Vec<Op>,
    places: Vec<u32>,
    /// Instructions before this position stay as they are.
    barrier: usize,
}

impl Fused {
    fn len(&self) -> u32 {
        u32::try_from(self.ops.len()).unwrap_or(u32::MAX)
    }

    fn push(&mut self, op: Op, mut place: u32) {
        let fused = match op {
            Op::Compute { op, left: Operand::Stack, right: Operand::Stack } => {
                let right = self.take_operand();
                let left = match right {
                    Operand::Stack => self.take_early_operand(),
                    _ => self.take_operand(),
                };
                Op::Compute { op, left, right }
            }
            Op::JumpUnless(target) => match self.last(0) {
                Some(Op::Compute { op, left, right }) if op.compares() => {
                    // An exception has the location of the operator.
                    self.ops.pop();
                    let place = self.places.pop().unwrap_or(place);
                    self.ops.push(Op::Branch { op, left, right, target });
                    return self.places.push(place);
                }
                _ => op,
            },
            Op::Pop => match self.last(0) {
                Some(Op::Store(variable)) => {
                    self.drop(1);
                    // An exception has the location of the operator, if there is one.
                    place = self.places.last().copied().unwrap_or(place);
                    self.set(variable)
                }
                _ => op,
            },
            op => op,
        };
        self.ops.push(fused);
        self.places.push(place);
    }

    /// The instruction at this distance from the end, if it may be fused.
    fn last(&self, before: usize) -> Option<Op> {
        let at = self.ops.len().checked_sub(before + 1)?;
        (at >= self.barrier).then(|| self.ops[at])
    }

    fn drop(&mut self, count: usize) {
        let left = self.ops.len() - count;
        self.ops.truncate(left);
        self.places.truncate(left);
    }

    /// The operand pushed by the last instruction, which then becomes unnecessary.
    fn take_operand(&mut self) -> Operand {
        let narrow = |number: u32| u16::try_from(number).ok();
        let operand = match self.last(0) {
            Some(Op::Load(variable)) => narrow(variable).map(Operand::Variable),
            Some(Op::Number(number)) => narrow(number).map(Operand::Number),
            _ => None,
        };
        match operand {
            Some(operand) => {
                self.drop(1);
                operand
            }
            None => Operand::Stack,
        }
    }

    /// The variable loaded before the last instruction, if the instruction cannot change it.
    fn take_early_operand(&mut self) -> Operand {
        let is_free = |operand: Operand| operand != Operand::Stack;
        match (self.last(1), self.last(0)) {
            (Some(Op::Load(variable)), Some(last @ Op::Compute { left, right, .. }))
                if is_free(left) && is_free(right) =>
            {
                let Ok(variable) = u16::try_from(variable) else { return Operand::Stack };
                let place = self.places.last().copied().unwrap_or_default();
                self.drop(2);
                self.ops.push(last);
                self.places.push(place);
                Operand::Variable(variable)
            }
            _ => Operand::Stack,
        }
    }

    /// The instruction that sets a variable to the value pushed last.
    fn set(&mut self, variable: u32) -> Op {
        match (self.last(1), self.last(0)) {
            (Some(Op::Load(loaded)), Some(Op::Unary(op @ (UnaryOp::Increment | UnaryOp::Decrement))))
                if loaded == variable =>
            {
                self.drop(2);
                Op::Step { variable, op }
            }
            (_, Some(Op::Compute { op, left, right })) if variable <= u16::MAX.into() => {
                self.drop(1);
                Op::Assign { op, left, right, variable: u16::try_from(variable).unwrap_or(u16::MAX) }
            }
            _ => Op::Set(variable),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::BinaryOp;

    const STACK: Operand = Operand::Stack;

    fn fused(ops: Vec<Op>) -> Vec<Op> {
        let mut code = Code { places: vec![0; ops.len()], ops, ..Code::default() };
        fuse(&mut code);
        assert_eq!(code.ops.len(), code.places.len());
        code.ops
    }

    #[test]
    fn a_round_of_a_loop_is_short() {
        let compute = |op| Op::Compute { op, left: STACK, right: STACK };
        let round = vec![
            Op::Load(1),
            Op::Number(0),
            compute(BinaryOp::Less),
            Op::JumpUnless(14),
            Op::Load(0),
            Op::Load(1),
            compute(BinaryOp::Add),
            Op::Store(0),
            Op::Pop,
            Op::Load(1),
            Op::Unary(UnaryOp::Increment),
            Op::Store(1),
            Op::Pop,
            Op::Jump(0),
            Op::ReturnNothing,
        ];
        let (zero, one) = (Operand::Variable(0), Operand::Variable(1));
        assert_eq!(
            fused(round),
            [
                Op::Branch { op: BinaryOp::Less, left: one, right: Operand::Number(0), target: 4 },
                Op::Assign { op: BinaryOp::Add, left: zero, right: one, variable: 0 },
                Op::Step { variable: 1, op: UnaryOp::Increment },
                Op::Jump(0),
                Op::ReturnNothing,
            ]
        );
    }

    #[test]
    fn a_variable_that_is_loaded_early_is_an_operand() {
        let compute = |op| Op::Compute { op, left: STACK, right: STACK };
        // `s += i % 7`
        let sum = vec![
            Op::Load(0),
            Op::Load(1),
            Op::Number(0),
            compute(BinaryOp::Remainder),
            compute(BinaryOp::Add),
            Op::Store(0),
            Op::Pop,
            Op::ReturnNothing,
        ];
        let (zero, one) = (Operand::Variable(0), Operand::Variable(1));
        assert_eq!(
            fused(sum),
            [
                Op::Compute { op: BinaryOp::Remainder, left: one, right: Operand::Number(0) },
                Op::Assign { op: BinaryOp::Add, left: zero, right: STACK, variable: 0 },
                Op::ReturnNothing,
            ]
        );
    }

    #[test]
    fn jump_targets_are_not_fused() {
        let compute = Op::Compute { op: BinaryOp::Add, left: STACK, right: STACK };
        let ops = vec![Op::Jump(2), Op::Load(0), Op::Load(1), compute, Op::Return];
        let half = Op::Compute { op: BinaryOp::Add, left: STACK, right: Operand::Variable(1) };
        assert_eq!(fused(ops), [Op::Jump(2), Op::Load(0), half, Op::Return]);
        let ops = vec![Op::And(2), Op::Store(0), Op::Pop, Op::Return];
        assert_eq!(fused(ops), [Op::And(2), Op::Store(0), Op::Pop, Op::Return]);
    }
}
