#include "gate.h"

void gate_init(gate *self, unsigned producers, unsigned consumers)
{
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    self->phase = -1;
    self->members[GATE_PRODUCERS] = producers;
    self->members[GATE_CONSUMERS] = consumers;
    self->working[GATE_PRODUCERS] = 0;
    self->working[GATE_CONSUMERS] = 0;
}

void gate_open(gate *self, int phase)
{
    pthread_mutex_lock(&self->lock);
    self->phase = phase;
    for (int group = 0; group < GATE_GROUPS; group++) {
        self->working[group] = self->members[group];
    }
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
}

void gate_wait_until_left(gate *self, gate_group group)
{
    pthread_mutex_lock(&self->lock);
    while (self->working[group] > 0) {
        pthread_cond_wait(&self->changed, &self->lock);
    }
    pthread_mutex_unlock(&self->lock);
}

void gate_enter(gate *self, int phase)
{
    pthread_mutex_lock(&self->lock);
    while (self->phase < phase) {
        pthread_cond_wait(&self->changed, &self->lock);
    }
    pthread_mutex_unlock(&self->lock);
}

void gate_leave(gate *self, gate_group group)
{
    pthread_mutex_lock(&self->lock);
    self->working[group]--;
    if (self->working[group] == 0) {
        pthread_cond_broadcast(&self->changed);
    }
    pthread_mutex_unlock(&self->lock);
}
