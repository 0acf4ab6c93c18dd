// SPDX-License-Identifier: PostgreSQL
// Plays a recorded run: begin and pause, speed, and a slider over its time.
#pragma once

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QSlider;

namespace gantry::ui {

class ReplayFeed;

class ReplayBar : public QWidget {
    Q_OBJECT
public:
    explicit ReplayBar(ReplayFeed* feed, QWidget* parent = nullptr);

private:
    void show();

    ReplayFeed* feed_;
    QPushButton* play_;
    QSlider* slider_;
    QLabel* time_;
    QComboBox* speed_;
};

}  // namespace gantry::ui
